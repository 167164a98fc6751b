import type { BusEntry } from '../../model/bus/entry.ts'
import type { MacClaim } from './mac.ts'

/** A piece of a bus file, read from somewhere within it. */
export interface Piece {
  readonly bytes: Buffer
  /** Where in the file it begins: the start of the file, or of an item, or where an earlier scan said to go on. */
  readonly offset: number
  /**
   * How many lines lie before it, by which older one-line records are named. A function is called only where there is
   * such a record, and once. Absent: the piece begins with the first line.
   */
  readonly line?: number | (() => number)
  /** True where the file ends with it: what is not whole then never will be. */
  readonly isLast: boolean
  /** True to tell an entry as a fault where its header is not what was written. */
  readonly checksHeaders?: boolean
}

/**
 * What a piece holds, in order: every byte belongs to one item, to blank lines between them, or to what is left for the
 * next piece. A piece of MAX_ITEM_BYTES always yields an item, unless it is blank.
 */
export interface Scan {
  readonly items: readonly Scanned[]
  /** Where in the file to go on, with more bytes; the end of the piece where it was the last. */
  readonly next: number
}

export type Scanned = ScannedEntry | ScannedFault

export interface ScannedEntry {
  readonly kind: 'entry'
  /** The first byte, and the one after the last, within the file. */
  readonly start: number
  readonly end: number
  /** Its `meta.from_verified` is never true: only a prover can say so. */
  readonly entry: BusEntry
  /** The MAC by which Postern may know it. */
  readonly claim?: MacClaim
  /** The file ends without a line break: what must be written before something is written after it. */
  readonly closing?: string
  /** It does not say how long it is, and nothing follows it yet: its writer may have more to say. */
  readonly isOpen?: true
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

/** No entry is larger than this: what seems to be is told as a fault and skipped. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
export const MAX_ITEM_BYTES = MAX_BODY_BYTES + 64 * 1024
