import type { Sleep } from '../kit/clock/sleep.ts'
import type { Random } from '../kit/pure/backoff.ts'
import type { Drained, Postern } from '../model/postern.ts'
import type { WakeBudget } from './budget.ts'
import { failureEvidence, holdOn, insist, isPassing } from './offer.ts'
import { createRhythm, MAX_CHARACTERS } from './rhythm.ts'

/** As much of Postern as waking needs. */
export interface WakingPostern {
  readonly inbox: Pick<Postern['inbox'], 'wait' | 'drain' | 'printed' | 'confirm' | 'release'>
  readonly upkeep: Pick<Postern['upkeep'], 'run'>
}

/** The outcome of one batch. */
export interface CommandResult {
  /** The whole batch was handed over, and its recipient reports success. */
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
  act(batch: Drained, taken: () => void): Promise<CommandResult>
  /** Called before every look, and brings in what waits outside of the store. */
  gather(): Promise<void>
  /** A signal that is given when there may be something to look at. */
  nextNudge(): AbortSignal
  readonly signal: AbortSignal
  readonly tell: WakeNews
  readonly now: () => number
  readonly random: Random
  readonly sleep: Sleep
}

/** What whoever runs the loop may want to write down or to say. */
export interface WakeNews {
  /** A batch is about to be worked on, under this offer; null when it was given back or confirmed. */
  holding(offerId: string | null): void
  failed(evidence: string, batch: Drained, waitMs: number): void
  /** The budget is spent; said once each time. */
  spent(waitMs: number): Promise<void>
}

/** Somebody who cannot ring is noticed at this interval at the latest. */
export const SLICE_MS = 30_000

/**
 * Wakes an agent whenever mail from others waits for it, one batch after another, until the signal is given. What it
 * deals with is confirmed, everything else is pending again. Resolves with what came of the last batch.
 */
export async function keepAwake(waking: Waking): Promise<CommandResult | undefined> {
  const { signal, sleep } = waking
  const rhythm = createRhythm({ random: waking.random })
  let last: CommandResult | undefined
  while (!signal.aborted) {
    try {
      const batch = await nextBatch(waking, rhythm.maxMessages)
      if (!batch) continue
      last = await workOn(waking, batch)
      if (waking.isOnce || last.isHopeless) return last
      if (last.isDone) {
        rhythm.succeed()
        continue
      }
      const waitMs = rhythm.fail(batch.messages.length)
      if (!signal.aborted) waking.tell.failed(last.evidence, batch, waitMs)
      await sleep(waitMs, { signal })
    } catch (error) {
      if (!isPassing(error)) throw error
      await sleep(rhythm.miss(), { signal })
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
    await waking.sleep(waitMs, { signal })
    return undefined
  }
  const drained = await postern.inbox.drain({
    agent,
    sessionId,
    via: 'wake',
    maxMessages,
    maxCharacters: MAX_CHARACTERS,
    boundsCritical: true,
  })
  return drained.offer ? { ...drained, offer: drained.offer } : undefined
}

async function workOn(waking: Waking, batch: Batch): Promise<CommandResult> {
  const { postern, budget, tell, now } = waking
  const { id: offerId } = batch.offer
  budget.spend(now())
  tell.holding(offerId)
  const hold = holdOn({ postern, offerId, holdMs: waking.holdMs, sleep: waking.sleep })
  let result: CommandResult
  try {
    result = await waking.act(batch, hold.begin)
  } catch (error) {
    result = { isDone: false, evidence: failureEvidence(error) }
  } finally {
    await hold.end()
  }
  // Whoever was woken may have read it, so a batch that fails again and again is put aside in the end.
  if (!result.isDone) await insist(() => postern.inbox.printed({ offerId }), waking).catch(() => {})
  const settle = () =>
    result.isDone
      ? postern.inbox.confirm({ offerId, evidence: result.evidence, printed: true })
      : postern.inbox.release({ offerId, reason: result.evidence })
  await insist(settle, waking)
  tell.holding(null)
  await postern.upkeep.run().catch(() => {})
  return result
}
