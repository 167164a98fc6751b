import { isUtf8 } from 'node:buffer'
import type { ParsedNode, YAMLMap } from 'yaml'
import type { Json } from '../../../model/json.ts'
import { createRawHeader, fieldOf, putField, putMember, type RawHeader } from './raw-header.ts'
import { isNull, resolvePlain } from './scalar.ts'

export interface Refusal {
  readonly refused: string
}

/**
 * What may still be spent on headers that turn out to be none, counted in parts. Honest files have hardly any of them; one
 * after the other they would take a second for a page.
 */
export interface Patience {
  left: number
}

export function createPatience(): Patience {
  return { left: 2 * MAX_PARTS }
}

/** What the parser takes its time for, by which that time is bounded. */
const MAX_PARTS = 2_000
const PARTS_PER_HEADER = 8
const PART = /[[\]{},:&*!?|>"'\n]|- /g
const MAX_DEPTH = 40

/**
 * Reads any YAML that says a thing in one way only: no aliases, anchors, tags, merged or repeated keys, and one document.
 * What is refused is told as the end of a sentence.
 */
export function readStrictHeader(bytes: Buffer, patience: Patience): RawHeader | Refusal {
  if (!isUtf8(bytes)) return { refused: 'its header is not UTF-8' }
  const text = bytes.toString()
  const parts = PARTS_PER_HEADER + countParts(text)
  if (parts > MAX_PARTS) return { refused: 'its header has too many parts' }
  if (parts > patience.left) return { refused: 'its header is no usual YAML, like too many around it' }
  const read = tryRead(yaml(), text)
  if ('refused' in read) patience.left -= parts
  return read
}

/** As far as it matters. */
function countParts(text: string): number {
  let parts = 0
  PART.lastIndex = 0
  while (parts <= MAX_PARTS && PART.test(text)) parts++
  return parts
}

function tryRead(parser: Yaml, text: string): RawHeader | Refusal {
  try {
    return readDocument(parser, text)
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message }
    // The parser goes down into what is nested, and may run out of stack.
    return { refused: 'its header is not valid YAML' }
  }
}

class Refused extends Error {}

type Yaml = typeof import('yaml')
let known: Yaml | undefined

/** On use: it takes longer to load than all the rest of the bus. A bundle has it within, and no address of its own. */
function yaml(): Yaml {
  known ??= (typeof import.meta.url === 'string' ? requireFrom(import.meta.url)('yaml') : require('yaml')) as Yaml
  return known
}

function requireFrom(url: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(url)
}

function readDocument(parser: Yaml, text: string): RawHeader {
  const document = parser.parseDocument(text, {
    schema: 'failsafe',
    // Looking for equal keys takes the square of their number; they are found below.
    uniqueKeys: false,
    prettyErrors: false,
    // At 'silent' a second document would pass.
    logLevel: 'error',
  })
  if (document.errors.length > 0) throw new Refused('its header is not valid YAML')
  const { contents } = document
  if (!parser.isMap(contents)) throw new Refused('its header is no YAML map')
  checkNode(contents)
  const header = createRawHeader()
  for (const { key, value } of contents.items) {
    const name = readKey(key)
    const field = fieldOf(name)
    const read = readNode(value, field?.holdsTexts === true, 1)
    if (!putField(header, name, field, read)) throw new Refused('its header has a key twice')
  }
  return header
}

function checkNode(node: ParsedNode | null): void {
  if (yaml().isAlias(node)) throw new Refused('its header has an alias')
  if (node?.anchor !== undefined) throw new Refused('its header has an anchor')
  if (node?.tag !== undefined) throw new Refused('its header has a tag')
}

function readKey(key: ParsedNode): string {
  checkNode(key)
  if (!yaml().isScalar(key)) throw new Refused('its header has a key that is no text')
  const text = String(key.value ?? '')
  if (text === '<<' && key.type === 'PLAIN') throw new Refused('its header merges keys')
  return text
}

function readNode(node: ParsedNode | null, holdsTexts: boolean, depth: number): Json {
  if (depth > MAX_DEPTH) throw new Refused('its header is nested too deep')
  checkNode(node)
  const { isMap, isSeq, isScalar } = yaml()
  if (isMap(node)) return readMap(node as YAMLMap.Parsed, holdsTexts, depth)
  if (isSeq(node)) return node.items.map((item) => readNode(item as ParsedNode, holdsTexts, depth + 1))
  if (!isScalar(node)) return null
  const text = String(node.value ?? '')
  if (node.type !== 'PLAIN') return text
  if (holdsTexts) return isNull(text) ? null : text
  return resolvePlain(text)
}

function readMap(node: YAMLMap.Parsed, holdsTexts: boolean, depth: number): Json {
  const map: Record<string, Json> = {}
  for (const { key, value } of node.items) {
    const name = readKey(key)
    if (!putMember(map, name, readNode(value, holdsTexts, depth + 1))) throw new Refused('its header has a key twice')
  }
  return map
}
