import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import type { Offer, OfferOutcome } from '../../model/offer.ts'
import type { ConfirmSession, OfferRef, PrintedOffer } from '../../model/postern.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import { parseMilliseconds, parseSessionId } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { CloseOffer, Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { tellPeople } from '../notices/people.ts'
import { ring } from '../rings/ring.ts'

const EVIDENCE_BYTES = 1_000

/**
 * Notes that an offer's text was written out whole: from now on it may be confirmed, and it lasts longer. Loss of power
 * may undo that, for it also takes whoever was shown the text.
 */
export async function markPrinted(ctx: Context, { offerId: id, leaseMs }: PrintedOffer): Promise<Offer> {
  await requireOwnOffer(ctx, id)
  const at = ctx.store.now()
  const expiresAt = at + parseLease(leaseMs ?? ctx.limits.printedOfferMs, ctx.limits.printedOfferMs)
  const printed = await ctx.store.single((tx) => tx.offers.setPrinted({ id, at, expiresAt }), { isDurable: false })
  return printed ?? requireOffer(ctx, id)
}

function parseLease(leaseMs: number, most: number): number {
  if (Number.isInteger(leaseMs) && leaseMs >= 1) return Math.min(leaseMs, most)
  throw new PosternError('VALUE_INVALID', {
    field: 'lease',
    value: leaseMs,
    next: 'Use a whole number of milliseconds from 1 on, or none.',
  })
}

/** The offer was consumed. With `printed`, printing and confirming are one step: a terminal has taken all of it. */
export async function confirmOffer(
  ctx: Context,
  input: OfferRef & { readonly evidence: string; readonly printed?: boolean },
): Promise<Offer> {
  const { offerId: id, evidence } = input
  parseText('evidence', evidence, EVIDENCE_BYTES)
  await requireOwnOffer(ctx, id)
  const at = ctx.store.now()
  const closing: CloseOffer = {
    id,
    at,
    outcome: 'confirmed',
    evidence,
    maxAttempts: ctx.limits.attempts,
    ...(input.printed && { printedAt: at }),
  }
  const closed = await ctx.store.single((tx) => tx.offers.close(closing))
  if (closed) {
    ring(ctx, [RING_RECEIPTS])
    return closed.offer
  }
  const offer = await requireOffer(ctx, id)
  if (offer.outcome === null) throw new PosternError('OFFER_UNPRINTED', { id })
  return offer
}

export async function releaseOffer(ctx: Context, input: OfferRef & { readonly reason: string }): Promise<Offer> {
  parseText('reason', input.reason, EVIDENCE_BYTES)
  await requireOwnOffer(ctx, input.offerId)
  const { offer, rings } = await ctx.store.transact((tx) =>
    closeOffer(ctx, tx, input.offerId, 'released', input.reason),
  )
  ring(ctx, rings)
  return offer
}

/** Confirms what a session was shown before its present event began. Parallel events never confirm each other. */
export async function confirmSession(ctx: Context, input: ConfirmSession): Promise<number> {
  const sessionId = parseSessionId(input.sessionId)
  parseText('evidence', input.evidence, EVIDENCE_BYTES)
  const printed = { sessionId, before: parseMilliseconds('printedBefore', input.printedBefore) }
  if ((await ctx.store.read.offers.printedOf(printed)).length === 0) return 0
  const confirmed = await ctx.store.transact(async (tx) => {
    const offers = await tx.offers.printedOf(printed)
    for (const offer of offers) await closeOffer(ctx, tx, offer.id, 'confirmed', input.evidence)
    return offers.length
  })
  ring(ctx, [RING_RECEIPTS])
  return confirmed
}

export interface ClosedOffer {
  readonly offer: Offer
  /** Whom to ring after the commit. */
  readonly rings: readonly string[]
}

/** Closes an open offer and tells a person of whatever was put aside as dead. */
export async function closeOffer(
  ctx: Context,
  tx: Shelves,
  id: string,
  outcome: OfferOutcome,
  evidence: string,
): Promise<ClosedOffer> {
  requireStorable(id, 'OFFER_NOT_FOUND')
  const closed = await tx.offers.close({ id, at: ctx.store.now(), outcome, evidence, maxAttempts: ctx.limits.attempts })
  if (!closed) throw new PosternError('OFFER_NOT_FOUND', { id })
  const rings = outcome === 'confirmed' ? [RING_RECEIPTS] : [RING_RECEIPTS, closed.offer.agent]
  for (const messageId of closed.dead) {
    const told = await tellPeople(ctx, tx, {
      key: `dead:${messageId}:${closed.offer.agent}`,
      subject: `A message to ${closed.offer.agent} could not be shown`,
      content: `Message ${messageId} was offered to ${closed.offer.agent} again and again and never confirmed. See "postern trace ${messageId}"; try again with "postern inbox dead retry ${messageId}".`,
    })
    rings.push(...told)
  }
  return { offer: closed.offer, rings }
}

/** Why an offer's lease ran out. */
export function lapseReason(offer: Offer): string {
  return offer.printedAt === null ? 'it was never printed' : 'nothing confirmed it in time'
}

/** Another agent's offer does not exist for a confined program. */
async function requireOwnOffer(ctx: Context, id: string): Promise<void> {
  requireStorable(id, 'OFFER_NOT_FOUND')
  if (!isConfined(ctx.caller)) return
  const offer = await ctx.store.read.offers.get(id)
  if (offer && offer.agent !== ctx.caller.id) throw new PosternError('OFFER_NOT_FOUND', { id })
}

/** An offer that is open, or was confirmed already; one that was given back is as good as gone. */
async function requireOffer(ctx: Context, id: string): Promise<Offer> {
  const offer = await ctx.store.read.offers.get(id)
  if (!offer || (offer.outcome !== null && offer.outcome !== 'confirmed'))
    throw new PosternError('OFFER_NOT_FOUND', { id })
  return offer
}
