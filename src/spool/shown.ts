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
  /** Chooses what to show among what nobody has shown yet, in the order of the file. The spool is not locked meanwhile. */
  choose(copies: readonly SpoolCopy[]): Promise<readonly SpoolCopy[]>
}

/** A hook waits for this to be read, and foreign programs write it. */
const BOUNDS = { maxLines: 5_000, maxBytes: 4 * 1024 * 1024 }

/** Each attempt that fails means that another process has taken one of the chosen entries. */
const MAX_ATTEMPTS = 100

/**
 * Takes entries to be shown while the store is away, and returns them. They stay in the spool; a lease keeps others from
 * showing them too, until they are remembered as shown or the lease is over. If the lease cannot be written, nothing is
 * taken, because the same entries would be shown at every look. Producers do not wait while entries are chosen: if
 * another process takes one of them first, they are chosen again. Throws SpoolError.
 */
export async function offerCopies(params: OfferCopies): Promise<readonly SpoolCopy[]> {
  if (!mayHoldEntries(params.path)) return []
  let chosen: readonly SpoolCopy[] = []
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { leased, free } = await lease(params, chosen)
    if (leased) return chosen
    chosen = free.length === 0 ? [] : await params.choose(free)
    if (chosen.length === 0) return []
  }
  return []
}

interface Leasing {
  readonly leased: boolean
  /** Copies that were not shown yet. */
  readonly free: readonly SpoolCopy[]
}

/** Leases what was chosen if all of it is still free. */
async function lease({ path, patienceMs, now, leaseMs }: OfferCopies, chosen: readonly SpoolCopy[]): Promise<Leasing> {
  const spool = await lockSpool(path, constants.O_RDWR, patienceMs)
  if (!spool) return { leased: false, free: [] }
  try {
    const { lines, state, isStateKept } = readContents(path, spool, BOUNDS)
    const free = copiesOf(lines, state, now)
    const names = new Set(free.map(({ name }) => name))
    const leased = chosen.length > 0 && chosen.every(({ name }) => names.has(name))
    if (leased) {
      const shown = chosen.map(({ name, attempt }) => [name, leaseUntil(now + leaseMs, attempt)])
      save(path, { ...state, shown: { ...state.shown, ...Object.fromEntries(shown) } })
    } else if (!isStateKept && lines.some(({ place }) => place !== undefined)) {
      // Only a stored batch gives these lines the same names at the next look.
      save(path, state)
    }
    return { leased, free }
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
    const shown = names.map((name) => [name, { ...(state.shown[name] ?? leaseUntil(at, 1)), at, evidence }])
    save(path, { ...state, shown: { ...state.shown, ...Object.fromEntries(shown) } })
  } finally {
    spool.close()
  }
}

function leaseUntil(until: number, attempt: number): ShownLine {
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
