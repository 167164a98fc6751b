import type { ParsedNode, YAMLMap } from 'yaml'

export type YamlValue = null | boolean | number | string | readonly YamlValue[] | { readonly [key: string]: YamlValue }

export interface StrictOptions {
  /** What a plain scalar means, by the key at the top that it belongs to. */
  readonly resolve: (text: string, topKey: string) => YamlValue
}

/** Why a text is no map that can be read in one way only, as the end of a sentence. */
export class NoStrictMap extends Error {}

/** What the parser takes its time for, by which that time is bounded. */
export const MAX_PARTS = 2_000
const PART = /[[\]{},:&*!?|>"'\n]|- /g
/** The parser takes the square of its length for a gap. */
const LONG_GAP = /[ \t]{256}/
const MAX_DEPTH = 40

/** How much there is to parse, as far as it matters: never more than one above MAX_PARTS. */
export function countParts(text: string): number {
  if (LONG_GAP.test(text)) return MAX_PARTS + 1
  let parts = 0
  PART.lastIndex = 0
  while (parts <= MAX_PARTS && PART.test(text)) parts++
  return parts
}

/**
 * Reads any YAML map that says a thing in one way only: no aliases, anchors, tags, merged or repeated keys, and one
 * document. Throws NoStrictMap for everything else.
 */
export function readStrictMap(text: string, options: StrictOptions): readonly (readonly [string, YamlValue])[] {
  try {
    return readDocument(text, options)
  } catch (error) {
    if (error instanceof NoStrictMap) throw error
    // The parser goes down into what is nested, and may run out of stack.
    throw new NoStrictMap('is not valid YAML', { cause: error })
  }
}

type Yaml = typeof import('yaml')
let known: Yaml | undefined

/** On use: it takes longer to load than all the rest of a shelf. A bundle has it within, and no address of its own. */
function yaml(): Yaml {
  known ??= (typeof import.meta.url === 'string' ? requireFrom(import.meta.url)('yaml') : require('yaml')) as Yaml
  return known
}

function requireFrom(url: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(url)
}

function readDocument(text: string, { resolve }: StrictOptions): [string, YamlValue][] {
  const document = yaml().parseDocument(text, {
    schema: 'failsafe',
    // Looking for equal keys takes the square of their number; they are found below.
    uniqueKeys: false,
    prettyErrors: false,
    // At 'silent' a second document would pass.
    logLevel: 'error',
  })
  if (document.errors.length > 0) throw new NoStrictMap('is not valid YAML')
  const { contents } = document
  if (!yaml().isMap(contents)) throw new NoStrictMap('is no YAML map')
  checkNode(contents)
  return readPairs(contents as YAMLMap.Parsed, (value, key) => readNode(value, (plain) => resolve(plain, key), 1))
}

function readPairs(
  { items }: YAMLMap.Parsed,
  read: (value: ParsedNode | null, key: string) => YamlValue,
): [string, YamlValue][] {
  const seen = new Set<string>()
  return items.map(({ key, value }) => {
    const name = readKey(key)
    if (seen.has(name)) throw new NoStrictMap('has a key twice')
    seen.add(name)
    return [name, read(value, name)]
  })
}

function checkNode(node: ParsedNode | null): void {
  if (yaml().isAlias(node)) throw new NoStrictMap('has an alias')
  if (node?.anchor !== undefined) throw new NoStrictMap('has an anchor')
  if (node?.tag !== undefined) throw new NoStrictMap('has a tag')
}

function readKey(key: ParsedNode): string {
  checkNode(key)
  if (!yaml().isScalar(key)) throw new NoStrictMap('has a key that is no text')
  const text = String(key.value ?? '')
  if (text === '<<' && key.type === 'PLAIN') throw new NoStrictMap('merges keys')
  return text
}

type Resolve = (plain: string) => YamlValue

function readNode(node: ParsedNode | null, resolve: Resolve, depth: number): YamlValue {
  if (depth > MAX_DEPTH) throw new NoStrictMap('is nested too deep')
  checkNode(node)
  const { isMap, isSeq, isScalar } = yaml()
  // Made of pairs, so that `__proto__` is a member like any other.
  if (isMap(node))
    return Object.fromEntries(readPairs(node as YAMLMap.Parsed, (value) => readNode(value, resolve, depth + 1)))
  if (isSeq(node)) return node.items.map((item) => readNode(item as ParsedNode, resolve, depth + 1))
  if (!isScalar(node)) return null
  const text = String(node.value ?? '')
  return node.type === 'PLAIN' ? resolve(text) : text
}
