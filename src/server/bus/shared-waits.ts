import { lazy } from '../../kit/pure/lazy.ts'
import type { Bus, BusPage, WaitForEntries } from '../../model/bus/bus.ts'
import { type Bundle, bundlesOf } from '../events/frame.ts'
import { formatEntries } from './entry-frame.ts'

/** What was read at once. */
export interface EntryNews {
  /** Put together once, however many they are sent to. */
  readonly bundles: () => readonly Bundle[]
  readonly cursor: string | null
  readonly hasGap: boolean
}

export function toNews(page: BusPage): EntryNews {
  const { cursor, hasGap } = page
  return { cursor, hasGap, bundles: lazy(() => [...bundlesOf(formatEntries(page))]) }
}

/** Which bus, which of its entries, and after which of them. */
export type EntriesWanted = Omit<WaitForEntries, 'limit' | 'timeoutMs' | 'signal'>

interface Shared {
  readonly news: Promise<EntryNews>
  waiting: number
  stop(): void
}

export const PAGE = 25

/**
 * Those who stand at the same place of a bus wait there together: a hundred of them cost as much as one, and go on to
 * the next place together. Nobody waits for anybody who is behind.
 */
export class SharedWaits {
  readonly #bus: Pick<Bus, 'wait'>
  readonly #waitMs: number
  readonly #open = new Map<string, Shared>()

  constructor(bus: Pick<Bus, 'wait'>, waitMs: number) {
    this.#bus = bus
    this.#waitMs = waitMs
  }

  /** What comes next; nothing where none of it is wanted for a while, and undefined when the signal is given. */
  async next(wanted: EntriesWanted, signal: AbortSignal): Promise<EntryNews | undefined> {
    const key = JSON.stringify(wanted)
    const shared = this.#open.get(key) ?? this.#begin(key, wanted)
    shared.waiting++
    try {
      return await unless(signal, shared.news)
    } finally {
      shared.waiting--
      if (shared.waiting === 0) shared.stop()
    }
  }

  #begin(key: string, wanted: EntriesWanted): Shared {
    const stopper = new AbortController()
    const waiting = this.#bus.wait({ ...wanted, limit: PAGE, timeoutMs: this.#waitMs, signal: stopper.signal })
    const forget = () => {
      if (this.#open.get(key) === shared) this.#open.delete(key)
    }
    const stop = () => {
      forget()
      stopper.abort()
    }
    const shared: Shared = { news: waiting.then(toNews).finally(forget), waiting: 0, stop }
    this.#open.set(key, shared)
    return shared
  }
}

/** The outcome, or undefined as soon as the signal is given. */
function unless<T>(signal: AbortSignal, outcome: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined)
    const settle = () => signal.removeEventListener('abort', leave)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    outcome.then(resolve, reject).finally(settle)
  })
}
