import { createBackoff, type Random } from '../kit/pure/backoff.ts'
import { PosternError } from '../model/errors.ts'
import type { Drained, Postern } from '../model/postern.ts'
import type { WakeBudget } from './budget.ts'

/** As much of Postern as waking needs. */
export interface WakingPostern {
  readonly inbox: Pick<Postern['inbox'], 'wait' | 'drain' | 'printed' | 'confirm' | 'release'>
  readonly upkeep: Pick<Postern['upkeep'], 'run'>
}

/** What came of a batch. */
export interface Deed {
  /** All of it was handed over, and whoever got it says that it is dealt with. */
  readonly isDone: boolean
  /** What proves it, or what went wrong. */
  readonly evidence: string
  /** Another try would fail in the same way. */
  readonly isHopeless?: true
}

export interface Waking {
  readonly postern: WakingPostern
  readonly agent: string
  readonly sessionId: string
  readonly budget: WakeBudget
  /** How often a batch that is being worked on is held on to, so that nobody else gets it meanwhile. */
  readonly holdMs: number
  /** Ends after one batch. */
  readonly isOnce: boolean
  /** Deals with a batch. It calls `taken` once all of it was handed over. */
  act(batch: Drained, taken: () => void): Promise<Deed>
  /** Called before every look, and brings in what waits outside of the store. */
  gather(): Promise<void>
  /** A signal that is given when there may be something to look at. */
  nextNudge(): AbortSignal
  readonly signal: AbortSignal
  readonly tell: WakeNews
  readonly now: () => number
  readonly random: Random
  /** Resolves after a time, or as soon as the signal is given. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** What whoever runs the loop may want to write down or to say. */
export interface WakeNews {
  /** A batch is about to be worked on, under this offer; null when it was given back or confirmed. */
  holding(offerId: string | null): void
  failed(evidence: string, batch: Drained, waitMs: number): void
  /** The budget is spent; said once each time. */
  spent(waitMs: number): Promise<void>
}

const MAX_MESSAGES = 500
const MAX_CHARACTERS = 1_000_000
/** A batch that fails is tried again in smaller parts, so that one bad message does not take the others with it. */
const PART = 4

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 5 * 60_000
/** Somebody who cannot ring is noticed at this interval at the latest. */
const SLICE_MS = 30_000

/**
 * Wakes an agent whenever mail from others waits for it, one batch after another, until the signal is given. What it
 * deals with is confirmed, everything else is pending again. Resolves with what came of the last batch.
 */
export async function keepAwake(waking: Waking): Promise<Deed | undefined> {
  const { signal, sleep } = waking
  const backoff = createBackoff({ minMs: FIRST_RETRY_MS, maxMs: LAST_RETRY_MS, random: waking.random })
  let maxMessages = MAX_MESSAGES
  let last: Deed | undefined
  while (!signal.aborted) {
    try {
      const batch = await nextBatch(waking, maxMessages)
      if (!batch) continue
      last = await workOn(waking, batch)
      if (waking.isOnce || last.isHopeless) return last
      if (last.isDone) {
        maxMessages = Math.min(MAX_MESSAGES, maxMessages * PART)
        backoff.reset()
        continue
      }
      maxMessages = Math.max(1, Math.floor(Math.min(maxMessages, batch.messages.length) / PART))
      const waitMs = backoff.next()
      if (!signal.aborted) waking.tell.failed(last.evidence, batch, waitMs)
      await sleep(waitMs, signal)
    } catch (error) {
      // A store that is only busy, or away for a while, comes back.
      if (!(error instanceof PosternError && error.retryable)) throw error
      await sleep(backoff.next(), signal)
    }
  }
  return last
}

type Batch = Drained & { readonly offer: NonNullable<Drained['offer']> }

/** Undefined where there is nothing yet, or the budget does not allow it. */
async function nextBatch(waking: Waking, maxMessages: number): Promise<Batch | undefined> {
  const { postern, agent, sessionId, signal, budget, now } = waking
  await waking.gather()
  const nudged = AbortSignal.any([signal, waking.nextNudge()])
  const { pending } = await postern.inbox.wait({ agent, fromOthers: true, timeoutMs: SLICE_MS, signal: nudged })
  if (pending === 0 || signal.aborted) return undefined
  const waitMs = budget.waitMs(now())
  if (waitMs > 0) {
    await waking.tell.spent(waitMs)
    await waking.sleep(waitMs, signal)
    return undefined
  }
  const drained = await postern.inbox.drain({
    agent,
    sessionId,
    via: 'wake',
    maxMessages,
    maxCharacters: MAX_CHARACTERS,
  })
  return drained.offer ? { ...drained, offer: drained.offer } : undefined
}

async function workOn(waking: Waking, batch: Batch): Promise<Deed> {
  const { postern, budget, tell, now } = waking
  const { id: offerId } = batch.offer
  budget.spend(now())
  tell.holding(offerId)
  const hold = holdOn(waking, offerId)
  let deed: Deed
  try {
    deed = await waking.act(batch, hold.begin)
  } catch (error) {
    deed = { isDone: false, evidence: error instanceof Error ? error.message : String(error) }
  } finally {
    await hold.end()
  }
  await insist(waking, () =>
    deed.isDone
      ? postern.inbox.confirm({ offerId, evidence: deed.evidence, printed: true })
      : postern.inbox.release({ offerId, reason: deed.evidence }),
  )
  tell.holding(null)
  await postern.upkeep.run().catch(() => {})
  return deed
}

/** From when it was handed over until it is done with, a batch is held: no lease ends under whoever works on it. */
function holdOn(waking: Waking, offerId: string): { begin(): void; end(): Promise<void> } {
  const done = new AbortController()
  let holding: Promise<void> = Promise.resolve()
  async function hold(): Promise<void> {
    while (!done.signal.aborted) {
      // One time that fails is made good by the next.
      await waking.postern.inbox.printed({ offerId }).catch(() => {})
      await waking.sleep(waking.holdMs, done.signal)
    }
  }
  return {
    begin() {
      holding = hold()
    },
    async end() {
      done.abort()
      await holding
    },
  }
}

const INSIST_TRIES = 8

/** What was done must not be done once more only because the store was busy. An offer that is gone is nobody's fault. */
async function insist({ sleep, random }: Waking, call: () => Promise<unknown>): Promise<void> {
  const backoff = createBackoff({ minMs: 100, maxMs: 10_000, random })
  for (let tries = 1; ; tries++) {
    try {
      await call()
      return
    } catch (error) {
      if (error instanceof PosternError && error.code === 'OFFER_NOT_FOUND') return
      if (!(error instanceof PosternError && error.retryable) || tries === INSIST_TRIES) throw error
      await sleep(backoff.next(), new AbortController().signal)
    }
  }
}
