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
import { tellPeople } from '../notices/notice.ts'
import { ring } from '../rings/ring.ts'

const EVIDENCE_BYTES = 1_000

/**
 * Records that the whole text of an offer was printed. From now on the offer may be confirmed, and its lease is longer.
 * The record need not survive a power failure: the session that was shown the text does not survive it either.
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
    next: 'Use a whole number of milliseconds, at least 1, or none.',
  })
}

/** Confirms an offer. With `printed`, it is marked as printed in the same step, as after writing it all to a terminal. */
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

/** Confirms what a session was shown before its current event began, so parallel events never confirm each other. */
export async function confirmSession(ctx: Context, input: ConfirmSession): Promise<number> {
  const sessionId = parseSessionId(input.sessionId)
  parseText('evidence', input.evidence, EVIDENCE_BYTES)
  const before = parseMilliseconds('printedBefore', input.printedBefore)
  const printed = { sessionId, before, now: ctx.store.now() }
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

/** Closes an open offer, and notifies people of messages that became dead with it. */
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
  // An agent can give back its whole inbox, so it pays for the notices.
  const cause = closed.dead.length > 0 ? await tx.agents.get(closed.offer.agent) : undefined
  for (const messageId of closed.dead) {
    const told = await tellPeople(ctx, tx, {
      // A message that is retried may die again, of which people are told anew.
      key: `dead:${messageId}:${closed.offer.agent}:${id}`,
      subject: `A message to ${closed.offer.agent} could not be shown`,
      content: `Message ${messageId} came back from ${closed.offer.agent} again and again and was never confirmed. See "postern trace ${messageId}"; try again with "postern inbox dead retry ${messageId}".`,
      cause,
    })
    rings.push(...told)
  }
  return { offer: closed.offer, rings }
}

/** Why an offer's lease ran out. */
export function lapseReason(offer: Offer): string {
  return offer.printedAt === null ? 'it was never printed' : 'nothing confirmed it in time'
}

/** For a confined program, another agent's offer does not exist. */
async function requireOwnOffer(ctx: Context, id: string): Promise<void> {
  requireStorable(id, 'OFFER_NOT_FOUND')
  if (!isConfined(ctx.caller)) return
  const offer = await ctx.store.read.offers.get(id)
  if (offer && offer.agent !== ctx.caller.id) throw new PosternError('OFFER_NOT_FOUND', { id })
}

/** Returns an offer that is open or confirmed. A released or lapsed offer counts as not found. */
async function requireOffer(ctx: Context, id: string): Promise<Offer> {
  const offer = await ctx.store.read.offers.get(id)
  if (!offer || (offer.outcome !== null && offer.outcome !== 'confirmed'))
    throw new PosternError('OFFER_NOT_FOUND', { id })
  return offer
}
