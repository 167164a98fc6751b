import { constants } from 'node:fs'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { type EntryLine, readContents } from './contents.ts'
import type { SpoolEntry } from './entry.ts'
import { lockSpool, SpoolError } from './file.ts'
import { mayHoldEntries } from './may-hold.ts'
import { isLeased, readState, type ShownLine, type SpoolState, writeState } from './state.ts'

/** An entry that is shown straight from the spool. */
export interface SpoolCopy {
  readonly entry: SpoolEntry
  readonly name: string
  /** How often it has been taken to be shown. */
  readonly attempt: number
}

export interface OfferCopies {
  readonly path: string
  readonly patienceMs: number
  readonly now: number
  /** For how long nobody else takes what was chosen. */
  readonly leaseMs: number
  /** Chooses what to show among what nobody has shown yet, in the order of the file. */
  choose(copies: readonly SpoolCopy[]): readonly SpoolCopy[]
}

const BOUNDS = { maxLines: 20_000, maxBytes: 16 * 1024 * 1024 }

/**
 * Takes entries to be shown while the store is away. They stay in the spool; a lease keeps others from showing them
 * too, until they are remembered as shown or the lease is over. Where that cannot be written down nothing is taken, because
 * the same would be shown at every look. Throws SpoolError.
 */
export async function offerCopies({ path, patienceMs, now, leaseMs, choose }: OfferCopies): Promise<void> {
  if (!mayHoldEntries(path)) return
  const spool = await lockSpool(path, constants.O_RDWR, patienceMs)
  if (!spool) return
  try {
    const { lines, state } = readContents(path, spool, BOUNDS)
    const chosen = choose(copiesOf(lines, state, now))
    if (chosen.length === 0) return
    const leased = chosen.map(({ name, attempt }) => [name, lease(attempt, now + leaseMs)])
    save(path, { ...state, shown: { ...state.shown, ...Object.fromEntries(leased) } })
  } finally {
    spool.close()
  }
}

/** Remembers what was shown: it is not shown again, and the store will hear of it. Throws SpoolError. */
export async function rememberCopies(params: {
  readonly path: string
  readonly patienceMs: number
  readonly names: readonly string[]
  readonly at: number
  readonly evidence: string
}): Promise<void> {
  const { path, patienceMs, names, at, evidence } = params
  if (names.length === 0) return
  const spool = await lockSpool(path, constants.O_RDWR, patienceMs)
  if (!spool) return
  try {
    const state = readState(path)
    // Without a state the lines have gone from the spool.
    if (!state) return
    const shown = names.map((name) => [name, { ...(state.shown[name] ?? lease(1, at)), at, evidence }])
    save(path, { ...state, shown: { ...state.shown, ...Object.fromEntries(shown) } })
  } finally {
    spool.close()
  }
}

function lease(attempt: number, until: number): ShownLine {
  return { attempt, until, at: null, evidence: null }
}

/** Under one name only once, though a courier may have written it twice. */
function copiesOf(lines: readonly EntryLine[], { shown }: SpoolState, now: number): SpoolCopy[] {
  const copies = new Map<string, SpoolCopy>()
  for (const { entry, name } of lines) {
    const known = shown[name]
    const isFree = known === undefined || (known.at === null && !isLeased(known, now))
    if (isFree && !copies.has(name)) copies.set(name, { entry, name, attempt: (known?.attempt ?? 0) + 1 })
  }
  return [...copies.values()]
}

function save(path: string, state: SpoolState): void {
  try {
    writeState(path, state)
  } catch (error) {
    const reason = reasonOf(error)
    throw new SpoolError('unwritten', `what is shown of ${path} could not be remembered: ${reason}`, { cause: error })
  }
}
