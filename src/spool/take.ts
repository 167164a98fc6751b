import { constants, fsyncSync, ftruncateSync, writeSync } from 'node:fs'
import { type Contents, type EntryLine, keepNames, readContents } from './contents.ts'
import type { SpoolEntry } from './entry.ts'
import { type LockedSpool, lockSpool } from './file.ts'
import { mayHoldEntries } from './may-hold.ts'
import { type BadLine, quarantineLines } from './quarantine.ts'
import { isLeased, removeState } from './state.ts'

/** An entry on its way from the spool to the store. */
export interface TakenEntry {
  readonly entry: SpoolEntry
  /** A name for an entry that has none of its own. It stays the same if the entry has to be taken again. */
  readonly place?: string
  /** It was shown straight from the file. */
  readonly shown?: { readonly at: number; readonly evidence: string }
}

/** `done`: it is in the store for good. `kept`: it stays in the spool. Or why it can never be delivered. */
export type Verdict = 'done' | 'kept' | { readonly fault: string }

export interface TakeOptions {
  readonly path: string
  readonly patienceMs: number
  readonly now: number
  readonly maxEntries?: number
  readonly maxBytes?: number
  /** Commits the entries to the store. Where it throws, the spool stays as it is. */
  deliver(entries: readonly TakenEntry[]): Promise<readonly Verdict[]>
}

export interface Taken {
  readonly done: number
  readonly kept: number
  readonly quarantined: number
  /** More stands in the spool than one take looks at. */
  readonly isMore: boolean
}

const NOTHING: Taken = { done: 0, kept: 0, quarantined: 0, isMore: false }
const MAX_ENTRIES = 1_000
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Moves entries from a spool into the store, under the spool's lock. Nothing leaves the spool before the store has
 * it, and a bad line not before it is in quarantine. Dying at any point loses nothing; what the store had already
 * is recognised by its key, its id or its place when it is taken again.
 *
 * The file is emptied in place and never renamed: a producer may have it open and wait for the lock. Throws SpoolError.
 */
export async function takeSpool(options: TakeOptions): Promise<Taken> {
  const { path, patienceMs } = options
  if (!mayHoldEntries(path)) return NOTHING
  const spool = await lockSpool(path, constants.O_RDWR, patienceMs)
  if (!spool) return NOTHING
  try {
    return await takeLocked(spool, options)
  } finally {
    spool.close()
  }
}

async function takeLocked(spool: LockedSpool, options: TakeOptions): Promise<Taken> {
  const { path, now, maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES } = options
  const contents = keepNames(path, readContents(path, spool, { maxLines: maxEntries, maxBytes }))
  const free = contents.lines.filter((line) => !isBeingShown(line, contents, now))
  const verdicts = free.length === 0 ? [] : await options.deliver(free.map((line) => takenEntry(line, contents)))
  const done = free.filter((_, at) => verdicts[at] === 'done')
  const bad = [...contents.bad, ...free.flatMap((line, at) => faultOf(line, verdicts[at]))]
  const quarantined = quarantine(path, spool, bad, now) ? bad : []
  const kept = contents.lines.length + contents.bad.length - done.length - quarantined.length
  const isMore = contents.end < spool.size
  if (kept === 0 && !isMore) emptySpool(path, spool, contents)
  else blankLines(spool.fd, [...done, ...quarantined])
  return { done: done.length, kept, quarantined: quarantined.length, isMore }
}

function isBeingShown({ name }: EntryLine, { state }: Contents, now: number): boolean {
  const shown = state.shown[name]
  return shown !== undefined && isLeased(shown, now)
}

function takenEntry({ entry, place, name }: EntryLine, { state }: Contents): TakenEntry {
  const { at = null, evidence = null } = state.shown[name] ?? {}
  return {
    entry,
    ...(place !== undefined && { place }),
    ...(at !== null && { shown: { at, evidence: evidence ?? '' } }),
  }
}

function faultOf({ start, end }: EntryLine, verdict: Verdict | undefined): BadLine[] {
  return typeof verdict === 'object' ? [{ start, end, fault: verdict.fault }] : []
}

/** False where they could not be kept: then they stay where they are. */
function quarantine(path: string, { fd }: LockedSpool, lines: readonly BadLine[], now: number): boolean {
  if (lines.length === 0) return true
  try {
    quarantineLines(path, fd, lines, now)
    return true
  } catch {
    return false
  }
}

/**
 * The state goes before the lines, so that it never outlives them; and the lines are blank on the disk before the state
 * goes, so that none of them is ever taken under another name, even after a loss of power.
 */
function emptySpool(path: string, { fd }: LockedSpool, { lines, bad, isStateKept }: Contents): void {
  if (isStateKept) {
    blankLines(fd, [...lines, ...bad])
    fsyncSync(fd)
    removeState(path)
  }
  ftruncateSync(fd, 0)
}

interface Range {
  readonly start: number
  readonly end: number
}

const BLANK = Buffer.alloc(256 * 1024, '\n')

/** Lines that are gone while others stay: those keep their places. */
function blankLines(fd: number, lines: readonly Range[]): void {
  for (const { start, end } of merged(lines)) {
    for (let at = start; at < end; ) at += writeSync(fd, BLANK, 0, Math.min(BLANK.length, end - at), at)
  }
}

/** Neighbours as one. */
function merged(lines: readonly Range[]): Range[] {
  const ranges: Range[] = []
  for (const { start, end } of lines.toSorted((a, b) => a.start - b.start)) {
    const last = ranges.at(-1)
    if (last && last.end + 1 === start) ranges[ranges.length - 1] = { start: last.start, end }
    else ranges.push({ start, end })
  }
  return ranges
}
