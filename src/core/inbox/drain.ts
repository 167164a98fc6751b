import { parseAgentId } from '../../model/agent.ts'
import type { InboxMessage, ShownMessage } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import type { Offer } from '../../model/offer.ts'
import type { Drained, DrainInbox, HookDrain } from '../../model/postern.ts'
import { parsePriority } from '../../model/priority.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import { parseSessionId } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { CandidateParams, DeliveryShelf, OfferShelf, Shelves, Waiting } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { closeOffer, lapseReason } from '../offers/offers.ts'
import { unknownAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'
import { putSession } from '../sessions/sessions.ts'
import { type Choice, chooseWithin } from './budget.ts'

/** However many critical messages wait, a drain looks at no more of them than this at once. */
const CRITICAL_LIMIT = 200
const UPKEEP_LIMIT = 1_000
const VIA_BYTES = 200

const NOTHING: Drained = { offer: null, messages: [], remaining: 0 }

/** Offers what is pending. Where nothing waits, it only looks: nothing is locked and nothing written. */
export async function drainInbox(ctx: Context, input: HookDrain): Promise<Drained> {
  const agent = parseAgentId(input.agent)
  requireSound(ctx, input)
  const waiting = await lookFor(ctx, input)
  if (!waiting) throw await unknownAgent(ctx.store.read, agent)
  if (!isAnything(waiting)) return NOTHING
  const { drained, rings } = (await offerAtOnce(ctx, input, waiting)) ?? (await offerLocked(ctx, input, waiting))
  ring(ctx, drained.offer ? [...rings, RING_RECEIPTS] : rings)
  return drained
}

/** A plan whose instant has come is fired first, so that no server is needed for it. */
async function lookFor(ctx: Context, input: DrainInbox): Promise<Waiting | undefined> {
  const found = await ctx.store.read.deliveries.waiting(wantedBy(ctx, input))
  if (!found?.plans) return found
  const { firePlans } = await import('../plans/fire.ts')
  await firePlans(ctx, { agent: input.agent })
  return ctx.store.read.deliveries.waiting(wantedBy(ctx, input))
}

/** What is asked is checked before anything is looked for, so that a mistake shows on an empty inbox too. */
function requireSound(ctx: Context, input: DrainInbox): void {
  const { maxMessages, maxCharacters, maxTokens, maxPriority, sessionId, via } = input
  parseLimit(maxMessages ?? ctx.limits.drainMessages)
  if (maxCharacters !== undefined) requireRoom('characters', maxCharacters)
  if (maxTokens !== undefined) requireRoom('tokens', maxTokens)
  if (maxPriority !== undefined) parsePriority(maxPriority)
  if (sessionId !== undefined) parseSessionId(sessionId)
  if (via !== undefined) parseText('via', via, VIA_BYTES)
}

/**
 * Loss of power may undo an offer, whose messages are then pending again, and ends every session; but it may undo no
 * number that an inbox has given.
 */
function isMereOffer({ lapsed, broadcasts, expired }: Waiting): boolean {
  return !lapsed && !broadcasts && !expired
}

function isAnything({ pending, broadcasts, lapsed }: Waiting): boolean {
  return pending || broadcasts || lapsed
}

interface Offered {
  readonly drained: Drained
  /** People who were told of something and are to be rung after the commit. */
  readonly rings: readonly string[]
}

function wantedBy(ctx: Context, { agent, maxMessages, maxPriority }: DrainInbox): CandidateParams {
  const limit = maxMessages ?? ctx.limits.drainMessages
  const urgency = maxPriority === undefined ? {} : { maxPriority }
  return { agent, now: ctx.store.now(), limit, criticalLimit: CRITICAL_LIMIT, ...urgency }
}

/** What the first look has shown is taken without a transaction, unless somebody else was faster. */
async function offerAtOnce(ctx: Context, input: HookDrain, { candidates }: Waiting): Promise<Offered | undefined> {
  if (!candidates || input.sessionId !== undefined) return undefined
  const drained = await offerAmong(
    ctx,
    input,
    { candidates, shown: choose(ctx, input, candidates) },
    {
      deliveries: ctx.store.read.deliveries,
      offers: { open: (params) => ctx.store.single((tx) => tx.offers.open(params)) },
    },
  )
  return drained && { drained, rings: [] }
}

/** Measures messages before the transaction begins, so that no other writer waits for it. */
async function offerLocked(ctx: Context, input: HookDrain, waiting: Waiting): Promise<Offered> {
  const ahead = isMereOffer(waiting) ? await chooseAmong(ctx, input, ctx.store.read.deliveries) : NO_CHOICE
  return ctx.store.transact((tx) => offerPending(ctx, tx, input, { waiting, ahead }), {
    isDurable: !isMereOffer(waiting),
  })
}

/** What a drain shows if nothing has changed since it was chosen. */
interface Chosen {
  readonly candidates: readonly InboxMessage[]
  readonly shown: readonly Choice[]
}

const NO_CHOICE: Chosen = { candidates: [], shown: [] }

interface Found {
  readonly waiting: Waiting
  readonly ahead: Chosen
}

async function offerPending(ctx: Context, tx: Shelves, input: HookDrain, { waiting, ahead }: Found): Promise<Offered> {
  const { agent, sessionId } = input
  const rings = await takeBack(ctx, tx, agent, waiting)
  const drained =
    (isMereOffer(waiting) ? await offerAmong(ctx, input, ahead, tx) : undefined) ??
    (await offerAmong(ctx, input, await chooseAmong(ctx, input, tx.deliveries), tx))
  if (!drained) {
    const remaining = await tx.deliveries.countPending({ agent, now: ctx.store.now() })
    return { drained: { ...NOTHING, remaining }, rings }
  }
  if (sessionId !== undefined) await putSession(ctx, tx, { id: sessionId, agent })
  return { drained, rings }
}

interface Offering {
  readonly deliveries: Pick<DeliveryShelf, 'countPending'>
  readonly offers: Pick<OfferShelf, 'open'>
}

async function chooseAmong(
  ctx: Context,
  input: HookDrain,
  deliveries: Pick<DeliveryShelf, 'candidates'>,
): Promise<Chosen> {
  const candidates = await deliveries.candidates(wantedBy(ctx, input))
  return { candidates, shown: choose(ctx, input, candidates) }
}

function choose(ctx: Context, input: HookDrain, candidates: readonly InboxMessage[]): readonly Choice[] {
  return chooseWithin(ctx, candidates, {
    maxMessages: input.maxMessages ?? ctx.limits.drainMessages,
    maxCharacters: input.maxCharacters ?? Number.POSITIVE_INFINITY,
    maxTokens: input.maxTokens ?? Number.POSITIVE_INFINITY,
    boundsCritical: input.boundsCritical ?? false,
  })
}

/** Undefined where there is nothing to show, or it is no longer there. */
async function offerAmong(
  ctx: Context,
  input: HookDrain,
  { candidates, shown }: Chosen,
  tx: Offering,
): Promise<Drained | undefined> {
  const { agent, maxPriority, countUpTo } = input
  const maxMessages = input.maxMessages ?? ctx.limits.drainMessages
  if (shown.length === 0) return undefined
  // Before they are taken, because nothing may fail once they are.
  const isAll = candidates.length <= maxMessages && shown.length === candidates.length && maxPriority === undefined
  const pending = isAll
    ? shown.length
    : await tx.deliveries.countPending({ agent, now: ctx.store.now(), upTo: countUpTo })
  const offer = draftOffer(ctx, input, shown.length)
  const headlines = shown.filter(({ form }) => form === 'headline').map(({ message }) => message.id)
  if (!(await tx.offers.open({ offer, taken: shown.map(({ message }) => message), headlines }))) return undefined
  return { offer, messages: shown.map(offered), remaining: Math.max(0, pending - shown.length) }
}

/** What lapsed, was put off until now, was broadcast or expired meanwhile is settled first, for this inbox alone. */
export async function takeBack(
  ctx: Context,
  tx: Shelves,
  agent: string,
  { lapsed, broadcasts, expired }: Waiting,
): Promise<readonly string[]> {
  const now = ctx.store.now()
  const rings: string[] = []
  if (lapsed) {
    for (const offer of await tx.offers.lapsed({ now, agent, limit: UPKEEP_LIMIT })) {
      const closed = await closeOffer(ctx, tx, offer.id, 'lapsed', lapseReason(offer))
      rings.push(...closed.rings.filter((name) => name !== agent))
    }
    await tx.snoozes.due({ agent, now, limit: UPKEEP_LIMIT })
  }
  if (broadcasts) await tx.deliveries.takeUpBroadcasts({ agent, now })
  // What lapsed comes back, and may be past its time by now.
  if (expired || lapsed) await tx.deliveries.expire({ agent, now, limit: UPKEEP_LIMIT })
  return rings
}

export function draftOffer(ctx: Context, { agent, sessionId, via }: DrainInbox, size: number): Offer {
  const offeredAt = ctx.store.now()
  return {
    id: ctx.newId('off'),
    agent,
    sessionId: sessionId ?? null,
    via: via ?? ctx.caller.via,
    offeredAt,
    printedAt: null,
    closedAt: null,
    outcome: null,
    evidence: null,
    expiresAt: offeredAt + ctx.limits.unprintedOfferMs,
    size,
  }
}

function offered({ message, form }: Choice): ShownMessage {
  return { ...message, form, state: 'offered', attempt: message.attempt + 1 }
}

function parseLimit(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= 1_000_000) return value
  throw new PosternError('VALUE_INVALID', { field: 'limit', value, next: 'Use a whole number from 1 to 1,000,000.' })
}

function requireRoom(what: 'characters' | 'tokens', value: number): void {
  if (value >= 1) return
  throw new PosternError('VALUE_INVALID', {
    field: `number of ${what}`,
    value,
    next: 'Use a number from 1 on, or none.',
  })
}
