import type { BusPlace } from '../../model/bus/entry.ts'
import { beginsEntry } from './entries/begin.ts'
import { closesConflict, isConflictMarker, opensConflict } from './entries/conflict.ts'
import { foundEntry, foundFault } from './entries/found.ts'
import { readBody } from './entries/frame.ts'
import { legacyFields, readLegacyRecord } from './entries/legacy.ts'
import { closingOfHeader, type Found, readEntry } from './entries/read-entry.ts'
import { afterRule, closingLine, createSource, type Source, skipBlankLines } from './entries/source.ts'
import { MAX_ITEM_BYTES, type Piece, type Scan, type Scanned } from './scanned.ts'

export { findEntry, idAt } from './entries/find.ts'

const BYTE_ORDER_MARK = '\xef\xbb\xbf'

/**
 * Reads the items of a piece. Whatever it holds, nothing is thrown and the time is linear in its size; what is damaged is
 * told and never harms its neighbours. Older one-line records are said to be on the bus of `place`. The texts of entries
 * are parts of the piece, which stays in memory with them.
 */
export function scan(piece: Piece, place: BusPlace): Scan {
  return new Scanner(piece, place).scan()
}

class Scanner {
  readonly #piece: Piece
  readonly #place: BusPlace
  readonly #source: Source
  #isInConflict = false
  /** Lines that lie before a place, as far as they were counted. */
  #counted: { at: number; lines: number } | undefined

  constructor(piece: Piece, place: BusPlace) {
    this.#piece = piece
    this.#place = place
    this.#source = createSource({ ...piece, place })
  }

  scan(): Scan {
    const { text, offset, isLast } = this.#source
    const items: Scanned[] = []
    let at = offset === 0 && text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0
    for (at = skipBlankLines(text, at); at < text.length; ) {
      const item = this.#read(at) ?? this.#tooLarge(at)
      if (item === undefined) break
      items.push(item)
      at = skipBlankLines(text, item.end - offset)
    }
    return { items, next: offset + (isLast ? text.length : at) }
  }

  /** Undefined where more bytes are needed to tell. */
  #read(at: number): Scanned | undefined {
    let found: Found = readEntry(this.#source, at, this.#isInConflict)
    if (found === null) found = this.#readLegacy(at)
    return found === null ? this.#readStray(at) : found
  }

  #tooLarge(at: number): Scanned | undefined {
    const { text, isLast } = this.#source
    if (isLast || text.length - at < MAX_ITEM_BYTES) return undefined
    return foundFault(this.#source, { at, end: text.length }, `it is larger than ${MAX_ITEM_BYTES} bytes`)
  }

  #readLegacy(at: number): Found {
    const { text, isLast } = this.#source
    const record = readLegacyRecord(this.#source, at)
    if (record === undefined) return null
    const found = text.indexOf('\n', at)
    if (found < 0 && !isLast) return undefined
    const end = found < 0 ? text.length : found
    const fields = legacyFields(record, this.#lineOf(at), this.#place)
    const said = readBody(this.#source, record.bodyAt, record.bodyEnd)
    return foundEntry(this.#source, found < 0 ? { at, end, closing: '\n' } : { at, end: end + 1 }, fields, said)
  }

  #lineOf(at: number): number {
    const { line = 0 } = this.#piece
    this.#counted ??= { at: 0, lines: typeof line === 'number' ? line : line() }
    const counted = this.#counted
    for (let found = this.#breakAfter(counted.at); found >= 0 && found < at; found = this.#breakAfter(counted.at)) {
      counted.lines++
      counted.at = found + 1
    }
    return counted.lines + 1
  }

  #breakAfter(at: number): number {
    return this.#source.text.indexOf('\n', at)
  }

  /** Lines that belong to nothing, up to one that does. */
  #readStray(from: number): Scanned | undefined {
    const { text, isLast } = this.#source
    let rules = 0
    let at = from
    do {
      const found = this.#breakAfter(at)
      if (found < 0 && !isLast) break
      if (afterRule(text, at) > 0) rules++
      if (opensConflict(text, at)) this.#isInConflict = true
      if (closesConflict(text, at)) this.#isInConflict = false
      at = found < 0 ? text.length : found + 1
    } while (at < text.length && !this.#isBegin(at))
    if (at === from) return undefined
    const isMarker = isConflictMarker(text, from, true)
    const reason = isMarker ? 'it is a conflict that git left' : 'it belongs to no entry'
    return foundFault(this.#source, { at: from, end: at, closing: this.#closingOfStray(at, rules) }, reason)
  }

  #isBegin(at: number): boolean {
    if (readLegacyRecord(this.#source, at) !== undefined) return true
    return afterRule(this.#source.text, at) > 0 && beginsEntry(this.#source, at) !== 'no'
  }

  /** A rule that is alone begins a header for other readers, who would take the next entry for something else. */
  #closingOfStray(end: number, rules: number): string | undefined {
    const { text, isLast } = this.#source
    if (!isLast || end < text.length) return undefined
    return rules % 2 === 1 ? closingOfHeader(text) : closingLine(this.#source)
  }
}
