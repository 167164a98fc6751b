import type { BusEntry } from '../../model/bus/entry.ts'

/** A piece of a bus file, read from somewhere within it. */
export interface Piece {
  readonly bytes: Buffer
  /** Where in the file it begins: the start of the file, or of an item. */
  readonly offset: number
  /** How many lines lie before it, by which older one-line records are named. */
  readonly line?: number
  /** True where the file ends with it: what is not whole then never will be. */
  readonly isLast: boolean
}

/** What a piece holds, in order and without gaps: every byte belongs to one item, or to what is left for the next piece. */
export interface Scan {
  readonly items: readonly Scanned[]
  /** Where to go on, with more bytes; the end of the piece where it was the last. */
  readonly next: number
}

export type Scanned = ScannedEntry | ScannedFault

export interface ScannedEntry {
  readonly kind: 'entry'
  /** The first byte, and the one after the last, within the file. */
  readonly start: number
  readonly end: number
  readonly entry: BusEntry
}

export interface ScannedFault {
  readonly kind: 'fault'
  readonly start: number
  readonly end: number
  readonly reason: string
  readonly msgId?: string
  /** It is cut off: how it must be closed before something is written after it. Only of the last in a file. */
  readonly closing?: string
}
