import { randomToken, sha256 } from '../kit/node/crypto.ts'
import { parseEntry, type SpoolEntry } from './entry.ts'
import type { LockedSpool } from './file.ts'
import { type Bounds, type Line, readLines } from './lines.ts'
import type { BadLine } from './quarantine.ts'
import { readState, type SpoolState, writeState } from './state.ts'

/** A line that holds an entry. */
export interface EntryLine {
  readonly start: number
  readonly end: number
  readonly entry: SpoolEntry
  /** By which it is known for as long as it stands in the spool, or whenever it comes again under its own key. */
  readonly name: string
  /** Where it stands, for an entry that has neither a key nor an id. */
  readonly place?: string
}

/** The beginning of a spool, read under its lock. */
export interface Contents {
  readonly lines: readonly EntryLine[]
  readonly bad: readonly BadLine[]
  /** All that stands before this was looked at. */
  readonly end: number
  readonly state: SpoolState
  /** True where the state lies beside the spool. */
  readonly isStateKept: boolean
}

/** The longest content a message may have, with every character of it escaped, and room for the rest of an entry. */
const MAX_LINE_BYTES = 512 * 1024
const BATCH_LENGTH = 16
const CHECKSUM_LENGTH = 16

export function readContents(path: string, spool: LockedSpool, bounds: Omit<Bounds, 'maxLineBytes'>): Contents {
  const { lines, end } = readLines(spool.fd, spool.size, { ...bounds, maxLineBytes: MAX_LINE_BYTES })
  const kept = readState(path)
  const state = kept ?? { batch: randomToken(BATCH_LENGTH), shown: {} }
  const found: EntryLine[] = []
  const bad: BadLine[] = []
  for (const line of lines) {
    const parsed = parseLine(line)
    if ('fault' in parsed) bad.push({ start: line.start, end: line.end, fault: parsed.fault })
    else found.push(nameLine(line, parsed.entry, state.batch))
  }
  return { lines: found, bad, end, state, isStateKept: kept !== undefined }
}

/**
 * Before lines that are known by their place alone leave for the store, the name of the batch is put on the disk. Should
 * we die before they are taken from the spool, whoever comes next calls them by the same names, and the store knows
 * them. Where that cannot be written they go all the same: to be shown twice is better than not at all.
 */
export function keepNames(path: string, contents: Contents): Contents {
  if (contents.isStateKept || contents.lines.every(({ place }) => place === undefined)) return contents
  try {
    writeState(path, contents.state)
    return { ...contents, isStateKept: true }
  } catch {
    return contents
  }
}

function parseLine({ bytes }: Line) {
  if (bytes === undefined) return { fault: `it is longer than ${MAX_LINE_BYTES} bytes` }
  try {
    return parseEntry(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return { fault: 'it is not UTF-8' }
  }
}

function nameLine({ start, end, bytes }: Line, entry: SpoolEntry, batch: string): EntryLine {
  const line = { start, end, entry }
  if (entry.dedupKey !== undefined) return { ...line, name: `key ${entry.dedupKey}` }
  if (entry.id !== undefined) return { ...line, name: `id ${entry.id}` }
  // With its checksum, in case a foreign program emptied the spool and something else stands there now.
  const place = `${batch}:${start}:${sha256(bytes ?? '').slice(0, CHECKSUM_LENGTH)}`
  return { ...line, place, name: `place ${place}` }
}
