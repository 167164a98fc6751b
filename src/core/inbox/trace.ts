import type { Delivery } from '../../model/delivery.ts'
import { requireStorable } from '../../model/ids.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import type { Offer } from '../../model/offer.ts'
import { type DeliveryTrace, PRINTED_EVIDENCE, type ReceiptStep, type Trace } from '../../model/receipt.ts'
import { RING_ALL } from '../../model/ring.ts'
import type { Context } from '../context.ts'
import { requireVisible } from '../visible.ts'
import { takeUpBroadcasts } from './broadcasts.ts'
import { explain } from './why.ts'

/** Everything that is known of one message: each step with its time and evidence, and in words why it is not seen. */
export async function traceMessage(ctx: Context, { id }: { readonly id: string }): Promise<Trace> {
  const { messages, deliveries, offers } = ctx.store.read
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  const message = requireVisible(ctx, id, await messages.get(id))
  if (message.to[0] === EVERYBODY) await takeUpBroadcasts(ctx)
  const history = await deliveries.steps(id)
  const traced: DeliveryTrace[] = []
  for (const delivery of await deliveries.ofMessage(id)) {
    const offer = delivery.offerId === null ? undefined : await offers.get(delivery.offerId)
    const isHeadline = offer !== undefined && (await offers.headlines(offer.id)).includes(id)
    const earlier = history.filter((step) => step.agent === delivery.agent)
    traced.push({
      ...delivery,
      leaseExpiresAt: offer && offer.closedAt === null ? offer.expiresAt : null,
      rungAt: lastRing(ctx, message, delivery),
      steps: stepsOf({ message, earlier, offered: offer ? stepsOfOffer(offer, delivery.attempt, isHeadline) : [] }),
    })
  }
  return { message, deliveries: traced, why: await explain(ctx, message, traced) }
}

interface Trail {
  readonly message: Message
  readonly earlier: readonly ReceiptStep[]
  readonly offered: readonly ReceiptStep[]
}

function stepsOf({ message, earlier, offered }: Trail): ReceiptStep[] {
  const stored: ReceiptStep = {
    step: 'stored',
    at: message.createdAt,
    attempt: null,
    evidence: 'committed to the store',
    by: message.from.id,
    sessionId: null,
  }
  const known = earlier.map(({ step, at, attempt, evidence, by, sessionId }) => ({
    step,
    at,
    attempt,
    evidence,
    by,
    sessionId,
  }))
  // What the agent itself says follows the offer by which it knows, unless that was an earlier one.
  const present = offered[0]?.attempt ?? 0
  const isAnswer = ({ step, attempt }: ReceiptStep) =>
    (step === 'seen' || step === 'acted') && (attempt ?? present) >= present
  const before = known.filter((step) => !isAnswer(step))
  return [stored, ...before, ...offered, ...known.filter(isAnswer)]
}

function stepsOfOffer(offer: Offer, attempt: number, isHeadline: boolean): ReceiptStep[] {
  const about = { attempt, by: null, sessionId: offer.sessionId }
  const steps: ReceiptStep[] = [
    { ...about, step: 'offered', at: offer.offeredAt, evidence: `offer ${offer.id} by ${offer.via}` },
  ]
  if (offer.printedAt !== null) {
    const evidence = isHeadline ? PRINTED_EVIDENCE.ofHeadline : PRINTED_EVIDENCE.evidence
    steps.push({ ...about, step: 'printed', at: offer.printedAt, evidence })
  }
  if (offer.outcome === 'confirmed' && offer.closedAt !== null) {
    steps.push({ ...about, step: 'seen', at: offer.closedAt, evidence: offer.evidence ?? 'confirmed' })
  }
  return steps
}

/** The wire remembers only the last ring of a name, so it counts for this message if it came later. */
function lastRing(ctx: Context, message: Message, delivery: Delivery): number | null {
  const name = message.to[0] === EVERYBODY ? RING_ALL : delivery.agent
  const at = ctx.wire.lastRungAt(name)
  return at !== undefined && Math.ceil(at) >= message.createdAt ? Math.ceil(at) : null
}
