import { isUtf8 } from 'node:buffer'
import { isNull } from '../../../kit/pure/yaml-text.ts'
import type { Json } from '../../../model/json.ts'
import { createRawHeader, fieldAt, putField, putMember, type RawHeader } from './raw-header.ts'
import { resolvePlain } from './scalar.ts'

const UNUSUAL = Symbol('unusual')
const MAX_DEPTH = 40

const NONE = -1
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const DOUBLE_QUOTE = 0x22
const HASH = 0x23
const SINGLE_QUOTE = 0x27
const DASH = 0x2d
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

/** For characters of ASCII: whether they may stand in a plain key, begin a plain scalar, and stand anywhere in one. */
const IN_KEY = tableOf(/[A-Za-z0-9_./@+-]/)
const BEGINS_PLAIN = tableOf(/[A-Za-z0-9_./+(~$^;=-]/)
const IN_PLAIN = tableOf(/[^\t\n\r:#]/)
const ASCII = /^[\x00-\x7f]*$/

function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))
}

/**
 * Reads the YAML that writers of headers usually write: maps and lists in block style, each scalar on one line, plain or
 * quoted. Everything else, right or wrong, is left to a parser: nothing is guessed here.
 */
export class UsualYaml {
  /** In bytes looking is quick, and of texts parts are taken at once: what is looked at is the one, what is taken the other. */
  readonly #bytes: Uint8Array
  readonly #text: string
  /** Where a block or a scalar was read, the beginning of the line below it. */
  #at = 0
  #end = 0
  #holdsTexts = false

  /** The same twice: the text has one character for each byte. */
  constructor(bytes: Uint8Array, text: string) {
    this.#bytes = bytes
    this.#text = text
  }

  /** The header between two places; undefined where it is not usual. */
  read(from: number, to: number): RawHeader | undefined {
    this.#at = from
    this.#end = to
    try {
      return this.#readHeader()
    } catch (error) {
      if (error === UNUSUAL) return undefined
      throw error
    }
  }

  #readHeader(): RawHeader {
    const header = createRawHeader()
    while (this.#at < this.#end) {
      const from = this.#at
      const colon = this.#colonAfter(from)
      const known = fieldAt(this.#text, from, colon)
      const key = known?.name ?? this.#readKey(from, colon)
      const field = known ?? fieldAt(key, 0, key.length)
      this.#holdsTexts = field?.holdsTexts === true
      this.#at = colon + 1
      if (!putField(header, key, field, this.#readValue(0, 0))) throw UNUSUAL
    }
    return header
  }

  #readKey(from: number, colon: number): string {
    if (colon < 0) throw UNUSUAL
    const key = this.#text.slice(from, colon)
    return key.startsWith('"') ? unquote(decode(key)) : key
  }

  /** The colon behind the key that begins here, or -1 where it is none. */
  #colonAfter(from: number): number {
    const bytes = this.#bytes
    const first = bytes[from]
    let at = from
    if (first === DOUBLE_QUOTE) at = this.#afterQuote(from)
    else if (first !== DASH) while (IN_KEY[bytes[at] ?? NONE] === 1) at++
    if (at === from || bytes[at] !== COLON) return -1
    return bytes[at + 1] === SPACE || this.#isLineEnd(at + 1) ? at : -1
  }

  #afterQuote(from: number): number {
    for (let at = from + 1; at < this.#end; at++) {
      const code = this.#bytes[at]
      if (code === DOUBLE_QUOTE) return at + 1
      if (code === BACKSLASH) at++
      else if (code === NEWLINE) break
    }
    return from
  }

  #isLineEnd(at: number): boolean {
    const code = this.#bytes[at]
    if (code === NEWLINE || at >= this.#end) return true
    return code === RETURN && (this.#bytes[at + 1] === NEWLINE || at + 1 === this.#end)
  }

  #skipSpaces(from: number): number {
    let at = from
    while (this.#bytes[at] === SPACE) at++
    return at
  }

  #indent(): number {
    return this.#skipSpaces(this.#at) - this.#at
  }

  /** What follows a colon or a dash: a scalar on the same line, or a block below that stands further to the right. */
  #readValue(indent: number, depth: number): Json {
    const start = this.#skipSpaces(this.#at)
    if (!this.#isLineEnd(start)) return this.#readScalar(start)
    this.#at = this.#afterLine(start)
    const inner = this.#indent()
    // Only lists may stand right below their key.
    if (inner >= indent && this.#isItem(this.#at + inner)) return this.#readList(inner, depth + 1)
    return inner > indent ? this.#readMap(inner, this.#at + inner, depth + 1) : this.#plain('')
  }

  #afterLine(at: number): number {
    return (this.#bytes[at] === RETURN ? at + 1 : at) + 1
  }

  #isItem(at: number): boolean {
    if (this.#bytes[at] !== DASH) return false
    return this.#bytes[at + 1] === SPACE || this.#isLineEnd(at + 1)
  }

  #readMap(indent: number, first: number, depth: number): Json {
    if (depth > MAX_DEPTH) throw UNUSUAL
    const map: Record<string, Json> = {}
    let at = first
    do {
      const colon = this.#colonAfter(at)
      const key = this.#readKey(at, colon)
      this.#at = colon + 1
      if (!putMember(map, key, this.#readValue(indent, depth))) throw UNUSUAL
      at = this.#at + indent
    } while (this.#goesOn(indent))
    return map
  }

  #readList(indent: number, depth: number): Json {
    if (depth > MAX_DEPTH) throw UNUSUAL
    const list: Json[] = []
    do list.push(this.#readItem(indent, depth))
    while (this.#goesOn(indent) && this.#isItem(this.#at + indent))
    return list
  }

  #readItem(indent: number, depth: number): Json {
    const line = this.#at
    const start = this.#skipSpaces(line + indent + 1)
    if (this.#isItem(start)) throw UNUSUAL
    if (this.#colonAfter(start) >= 0) return this.#readMap(start - line, start, depth + 1)
    this.#at = start
    return this.#readValue(indent + 1, depth)
  }

  /** Whether the line belongs to the block with this indent. */
  #goesOn(indent: number): boolean {
    if (this.#at >= this.#end) return false
    const next = this.#indent()
    if (next > indent) throw UNUSUAL
    return next === indent
  }

  #readScalar(start: number): Json {
    const first = this.#bytes[start] ?? NONE
    if (first >= 128 || BEGINS_PLAIN[first] === 1) return this.#plain(this.#readPlain(start))
    const found = this.#text.indexOf('\n', start)
    const end = found < 0 ? this.#end : found
    const text = this.#text.slice(start, this.#bytes[end - 1] === RETURN ? end - 1 : end)
    this.#at = end + 1
    if (first === DOUBLE_QUOTE) return unquote(decode(text))
    if (first === SINGLE_QUOTE) return unquoteSingle(decode(text))
    if (first === OPEN_BRACKET && text === '[]') return []
    if (first === OPEN_BRACE && text === '{}') return {}
    throw UNUSUAL
  }

  /** The rest of the line, where YAML cannot take it for more than one plain scalar. */
  #readPlain(start: number): string {
    const bytes = this.#bytes
    let isAscii = true
    let at = start
    for (; at < this.#end; at++) {
      const code = bytes[at] ?? NONE
      if (IN_PLAIN[code] === 1) continue
      if (code >= 128) isAscii = false
      else if (this.#isLineEnd(at)) break
      else if (!this.#isInnerMark(code, at)) throw UNUSUAL
    }
    if (bytes[at - 1] === SPACE || this.#isItem(start)) throw UNUSUAL
    this.#at = this.#afterLine(at)
    const plain = this.#text.slice(start, at)
    return isAscii ? plain : decodeUtf8(plain)
  }

  /** A colon or a hash that is only one more character. */
  #isInnerMark(code: number, at: number): boolean {
    if (code === COLON) return this.#bytes[at + 1] !== SPACE && !this.#isLineEnd(at + 1)
    return code === HASH && this.#bytes[at - 1] !== SPACE
  }

  #plain(text: string): Json {
    if (this.#holdsTexts) return isNull(text) ? null : text
    return resolvePlain(text)
  }
}

function decode(text: string): string {
  return ASCII.test(text) ? text : decodeUtf8(text)
}

function decodeUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  if (!isUtf8(bytes)) throw UNUSUAL
  return bytes.toString()
}

function unquote(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'string') return value
  } catch {
    // It may still be YAML.
  }
  throw UNUSUAL
}

function unquoteSingle(text: string): string {
  const inner = text.slice(1, -1)
  const isWhole = text.length > 1 && text.endsWith("'") && !inner.replaceAll("''", '').includes("'")
  if (!isWhole || inner.includes('\r')) throw UNUSUAL
  return inner.replaceAll("''", "'")
}
