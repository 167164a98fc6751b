import type { Delivery } from '../../model/delivery.ts'
import { requireStorable } from '../../model/ids.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import type { Offer } from '../../model/offer.ts'
import { type DeliveryTrace, PRINTED_EVIDENCE, type ReceiptStep, type Trace } from '../../model/receipt.ts'
import { RING_ALL } from '../../model/ring.ts'
import type { Context } from '../context.ts'
import { requireVisible } from '../visible.ts'
import { explain } from './why.ts'

/** Everything that is known of one message: each step with its time and evidence, and in words why it is not seen. */
export async function traceMessage(ctx: Context, { id }: { readonly id: string }): Promise<Trace> {
  const { messages, deliveries, inboxes, offers } = ctx.store.read
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  const message = requireVisible(ctx, id, await messages.get(id))
  // Before what is stored: a broadcast that is taken up meanwhile is then found twice, and not missed.
  const untaken = message.to[0] === EVERYBODY ? await inboxes.untaken({ id, now: ctx.store.now() }) : []
  const stored = await deliveries.ofMessage(id)
  const history = await deliveries.steps(id)
  const traced: DeliveryTrace[] = []
  for (const delivery of merged(stored, untaken)) {
    const offer = delivery.offerId === null ? undefined : await offers.get(delivery.offerId)
    const isHeadline = offer !== undefined && (await offers.headlines(offer.id)).includes(id)
    const earlier = [...history.filter((step) => step.agent === delivery.agent), ...endOfUntaken(delivery, untaken)]
    traced.push({
      ...delivery,
      leaseExpiresAt: offer && offer.closedAt === null ? offer.expiresAt : null,
      rungAt: lastRing(ctx, message, delivery),
      steps: stepsOf({ message, earlier, offered: offer ? stepsOfOffer(offer, delivery.attempt, isHeadline) : [] }),
    })
  }
  return { message, deliveries: traced, why: await explain(ctx, message, traced) }
}

/** By agent, each once. */
function merged(stored: readonly Delivery[], untaken: readonly Delivery[]): readonly Delivery[] {
  const agents = new Set(stored.map(({ agent }) => agent))
  const all = [...stored, ...untaken.filter(({ agent }) => !agents.has(agent))]
  return untaken.length === 0 ? stored : all.toSorted((a, b) => (a.agent < b.agent ? -1 : 1))
}

/** The step that taking up an expired broadcast would record. */
function endOfUntaken(delivery: Delivery, untaken: readonly Delivery[]): ReceiptStep[] {
  const { state, expiresAt } = delivery
  if (state !== 'expired' || expiresAt === null || !untaken.includes(delivery)) return []
  const evidence = 'its time to live was over before it was taken up'
  return [{ step: 'expired', at: expiresAt, attempt: null, evidence, by: 'system', sessionId: null }]
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
