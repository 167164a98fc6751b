import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from '../kit/node/folders.ts'
import { statePath } from './path.ts'

/**
 * What is known of a spool beyond its lines, in a file beside it that is read and written under the spool's lock.
 * It is there only while it is needed, and goes before the spool is emptied: so it always speaks of the lines that stand
 * in the spool, and never of those that came after them.
 */
export interface SpoolState {
  /** A name for what stands in the spool now, by which lines without a key of their own are known. */
  readonly batch: string
  /** What was shown straight from the file because the store was away, by the name of the line. */
  readonly shown: Readonly<Record<string, ShownLine>>
}

export interface ShownLine {
  readonly attempt: number
  /** Until when whoever took it may still print it. */
  readonly until: number
  /** When it was printed, and what shows that; null while that is not known. */
  readonly at: number | null
  readonly evidence: string | null
}

const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const WRITING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
const FILE_MODE = 0o600

/** Undefined where there is none. One that cannot be read is none: it was never whole, so nothing relies on it. */
export function readState(spool: string): SpoolState | undefined {
  let fd: number
  try {
    fd = openSync(statePath(spool), READING)
  } catch {
    return undefined
  }
  try {
    const state = JSON.parse(readFileSync(fd, 'utf8')) as Partial<SpoolState>
    const { batch, shown } = state
    if (typeof batch !== 'string' || typeof shown !== 'object' || shown === null) return undefined
    return { batch, shown: Object.fromEntries(Object.entries(shown).filter(([, line]) => isShownLine(line))) }
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

function isShownLine(value: unknown): value is ShownLine {
  if (typeof value !== 'object' || value === null) return false
  const { attempt, until, at, evidence } = value as Readonly<Record<string, unknown>>
  const isPrinted = typeof at === 'number' && typeof evidence === 'string'
  return typeof attempt === 'number' && typeof until === 'number' && (isPrinted || (at === null && evidence === null))
}

/** Nobody takes a line for longer: a lease that would last so was given while the clock was wrong. */
const LONGEST_LEASE_MS = 10 * 60 * 1_000

/** Whether somebody has taken the line to show it, and may be printing it at this moment. */
export function isLeased({ at, until }: ShownLine, now: number): boolean {
  return at === null && until > now && until - now <= LONGEST_LEASE_MS
}

/** On the disk when it returns, whole. */
export function writeState(spool: string, state: SpoolState): void {
  const path = statePath(spool)
  const partial = `${path}.partial`
  const fd = openSync(partial, WRITING, FILE_MODE)
  try {
    writeFileSync(fd, JSON.stringify(state))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(partial, path)
  syncFolder(dirname(path))
}

export function removeState(spool: string): void {
  rmSync(statePath(spool), { force: true })
}
