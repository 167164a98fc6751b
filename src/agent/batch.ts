import type { Sleep } from '../kit/clock/sleep.ts'
import type { Random } from '../kit/pure/backoff.ts'
import { lazy } from '../kit/pure/lazy.ts'
import type { InboxMessage, ShownMessage } from '../model/delivery.ts'
import type { Offer } from '../model/offer.ts'
import type { Drained, Postern } from '../model/postern.ts'
import { type InboxEvent, toInboxEvent } from '../model/sources/inbox-event.ts'
import { renderLines, renderPreview } from '../render/lines.ts'
import { failureEvidence, holdOn, insist } from './offer.ts'

/**
 * Everything that waited for an agent when it looked, as one thing with one life:
 *
 *   taken ─done→ seen · ─release→ pending again, and the next attempt
 *
 * Whichever comes first counts. While neither has come, nobody else gets these messages.
 */
export interface AgentBatch {
  /** Seed 001's text: a heading, then a line an event. Nothing that a message says can add to it or pose as another. */
  readonly text: string
  /** Urgent first, then in order. */
  readonly messages: readonly ShownMessage[]
  /** The messages as seed 001's events. */
  readonly events: readonly InboxEvent[]
  /** How many more waited when it was taken. */
  readonly remaining: number
  /** It is dealt with. The end of a loop's body says so by itself; before leaving the loop, say it. */
  done(): Promise<void>
  /** It is not, and will be handed over again. Says after how long; null where it was done with before. */
  release(reason: string): Promise<{ readonly retryMs: number | null }>
  /** A line for each message that waits by now, without taking it. */
  previews(): Promise<readonly string[]>
}

export interface Taken {
  readonly postern: { readonly inbox: Pick<Postern['inbox'], 'printed' | 'confirm' | 'release'> }
  readonly drained: Drained & { readonly offer: Offer }
  readonly leaseMs: number
  readonly now: number
  readonly random: Random
  readonly sleep: Sleep
  /** Given: the agent is to end. */
  readonly signal: AbortSignal
  peek(): Promise<readonly InboxMessage[]>
  /** Called once, when it is settled and the store knows. Says how long to wait before the next try, if there is one. */
  settled(isDone: boolean): number | null
}

const EVIDENCE = 'the agent that was woken with it is done with it'

/** From now on it is held until it is done or released. */
export function openBatch(taken: Taken): AgentBatch {
  const { postern, drained, leaseMs, now } = taken
  const { offer, messages, remaining } = drained
  const hold = holdOn({ ...taken, offerId: offer.id, holdMs: leaseMs / 3, firstMs: firstHoldMs(taken) })
  hold.begin()

  let settling: Promise<number | null> | undefined
  async function settle(isDone: boolean, reason: string): Promise<number | null> {
    await hold.end()
    const { inbox } = postern
    // The agent may have read it, so a batch that fails again and again is put aside in the end.
    if (!isDone) await insist(() => inbox.printed({ offerId: offer.id }), taken).catch(() => {})
    await insist(
      () =>
        isDone
          ? inbox.confirm({ offerId: offer.id, evidence: EVIDENCE, printed: true })
          : inbox.release({ offerId: offer.id, reason }),
      taken,
    )
    return taken.settled(isDone)
  }

  const text = lazy(() => renderLines(messages, now))
  const events = lazy(() => messages.map(toInboxEvent))
  return {
    get text() {
      return text()
    },
    messages,
    get events() {
      return events()
    },
    remaining,
    async done() {
      settling ??= settle(true, EVIDENCE)
      await settling
    },
    async release(reason) {
      settling ??= settle(false, failureEvidence(reason))
      return { retryMs: await settling }
    },
    previews: async () => (await taken.peek()).map(renderPreview),
  }
}

/** An offer lasts for a while by itself, so that a short piece of work needs no word in between. */
function firstHoldMs({ drained: { offer }, leaseMs }: Taken): number {
  return Math.min(offer.expiresAt - offer.offeredAt, leaseMs) / 3
}
