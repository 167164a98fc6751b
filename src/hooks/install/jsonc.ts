/**
 * JSON with comments, read so that it can be edited as text: every value knows where it stands, and nothing is ever
 * written out again as a whole.
 */
export type JsonNode = JsonObject | JsonArray | JsonScalar

export interface JsonObject {
  readonly kind: 'object'
  readonly start: number
  /** Behind the closing bracket. */
  readonly end: number
  readonly elements: readonly JsonMember[]
}

export interface JsonArray {
  readonly kind: 'array'
  readonly start: number
  readonly end: number
  readonly elements: readonly JsonElement[]
}

export interface JsonScalar {
  readonly kind: 'scalar'
  readonly start: number
  readonly end: number
  readonly value: string | number | boolean | null
}

/** A value within brackets, from its key or its own beginning to its end. */
export interface JsonElement {
  readonly start: number
  readonly end: number
  readonly value: JsonNode
  /** Where the comma stands that follows it; null where none does. */
  readonly comma: number | null
}

export interface JsonMember extends JsonElement {
  readonly key: string
}

/** Text that is not JSON, and where. */
export class JsonProblem extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const MAX_DEPTH = 100
const BYTE_ORDER_MARK = '\uFEFF'

/** The value of a whole text; undefined where it holds nothing but blanks and comments. Throws JsonProblem. */
export function parseJsonc(text: string): JsonNode | undefined {
  const first = skipBlank(text, text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0)
  if (first === text.length) return undefined
  const root = parseValue(text, first, 0)
  const rest = skipBlank(text, root.end)
  if (rest < text.length) throw new JsonProblem('there is something behind its end', rest)
  return root
}

/** The next place that holds neither blanks nor comments. */
export function skipBlank(text: string, from: number): number {
  let at = from
  for (;;) {
    while (isBlank(text[at])) at++
    const end = commentEnd(text, at)
    if (end === undefined) return at
    at = end
  }
}

export function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r'
}

/** Behind the comment that begins here, the line's end not included; undefined where none begins. */
export function commentEnd(text: string, at: number): number | undefined {
  if (text.startsWith('//', at)) {
    const end = text.slice(at).search(/[\r\n]/)
    return end < 0 ? text.length : at + end
  }
  if (!text.startsWith('/*', at)) return undefined
  const end = text.indexOf('*/', at + 2)
  if (end < 0) throw new JsonProblem('a comment does not end', at)
  return end + 2
}

function parseValue(text: string, at: number, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw new JsonProblem('it is nested too deeply', at)
  if (text[at] === '{') {
    const { elements, end } = parseElements(text, at, '}', (from) => parseMember(text, from, depth))
    return { kind: 'object', start: at, end, elements }
  }
  if (text[at] === '[') {
    const { elements, end } = parseElements(text, at, ']', (from) => {
      const value = parseValue(text, from, depth + 1)
      return { start: from, end: value.end, value }
    })
    return { kind: 'array', start: at, end, elements }
  }
  return parseScalar(text, at)
}

/** A comma behind the last one is taken: some hosts allow it. */
function parseElements<T extends { readonly end: number }>(
  text: string,
  open: number,
  close: string,
  parse: (at: number) => T,
): { readonly elements: readonly (T & { readonly comma: number | null })[]; readonly end: number } {
  const elements: (T & { readonly comma: number | null })[] = []
  let at = skipBlank(text, open + 1)
  while (text[at] !== close) {
    const element = parse(at)
    at = skipBlank(text, element.end)
    const comma = text[at] === ',' ? at : null
    elements.push({ ...element, comma })
    if (comma !== null) at = skipBlank(text, comma + 1)
    else if (text[at] !== close) throw unexpected(text, at, `"," or "${close}"`)
  }
  return { elements, end: at + 1 }
}

function parseMember(text: string, at: number, depth: number): Omit<JsonMember, 'comma'> {
  if (text[at] !== '"') throw unexpected(text, at, 'a name in double quotes')
  const key = parseScalar(text, at)
  const colon = skipBlank(text, key.end)
  if (text[colon] !== ':') throw unexpected(text, colon, '":"')
  const value = parseValue(text, skipBlank(text, colon + 1), depth + 1)
  return { key: String(key.value), start: at, end: value.end, value }
}

const SCALAR = /"(?:[^"\\\n\r]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y

/** What looks like a value is one if JSON says so. */
function parseScalar(text: string, at: number): JsonScalar {
  SCALAR.lastIndex = at
  const [token] = SCALAR.exec(text) ?? []
  if (token === undefined) throw unexpected(text, at, 'a value')
  try {
    return { kind: 'scalar', start: at, end: at + token.length, value: JSON.parse(token) }
  } catch {
    throw new JsonProblem('a value is not JSON', at)
  }
}

function unexpected(text: string, at: number, wanted: string): JsonProblem {
  return new JsonProblem(at < text.length ? `${wanted} was expected` : `it ends where ${wanted} was expected`, at)
}
