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
import { type Choice, CRITICAL_LIMIT, chooseInSlices } from './budget.ts'

const UPKEEP_LIMIT = 1_000
const VIA_BYTES = 200
/** A drain gives up after other drains have taken its messages this often. */
const MAX_ATTEMPTS = 100

const NOTHING: Drained = { offer: null, messages: [], remaining: 0 }

/** Offers what is pending. Where nothing waits, it only looks: nothing is locked and nothing written. */
export async function drainInbox(ctx: Context, input: HookDrain): Promise<Drained> {
  const agent = parseAgentId(input.agent)
  requireSound(ctx, input)
  const waiting = await lookFor(ctx, input)
  if (!waiting) throw await unknownAgent(ctx.store.read, agent)
  const takeBackGone = await findGone(ctx, agent, waiting)
  if (!isAnything(waiting) && !takeBackGone) return NOTHING
  if (!isReadyToOffer(waiting) || takeBackGone) {
    ring(ctx, await ctx.store.transact((tx) => takeBack(ctx, tx, agent, { ...waiting, takeBackGone })))
  }
  const drained = await offerPending(ctx, input, takeBackGone ? undefined : waiting.candidates)
  if (drained.offer) ring(ctx, [RING_RECEIPTS])
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

/** Whether a drain only has to open an offer, with nothing to take back first. */
function isReadyToOffer({ lapsed, broadcasts, expired }: Waiting): boolean {
  return !lapsed && !broadcasts && !expired
}

function isAnything({ pending, broadcasts, lapsed }: Waiting): boolean {
  return pending || broadcasts || lapsed
}

function wantedBy(ctx: Context, { agent, maxMessages, maxPriority }: DrainInbox): CandidateParams {
  const limit = maxMessages ?? ctx.limits.drainMessages
  const urgency = maxPriority === undefined ? {} : { maxPriority }
  return { agent, now: ctx.store.now(), limit, criticalLimit: CRITICAL_LIMIT, ...urgency }
}

/**
 * Chooses messages before it takes them, so that no other writer waits while they are measured. If another drain takes
 * one of them first, it chooses again.
 */
async function offerPending(ctx: Context, input: HookDrain, found?: readonly InboxMessage[]): Promise<Drained> {
  const { deliveries } = ctx.store.read
  let candidates = found
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    candidates ??= await deliveries.candidates(wantedBy(ctx, input))
    if (candidates.some(({ damaged }) => damaged)) {
      const { quarantineDamaged } = await import('./quarantine.ts')
      await quarantineDamaged(ctx, input.agent, candidates)
      candidates = undefined
      continue
    }
    const shown = await choose(ctx, input, candidates)
    if (shown.length === 0) break
    const drained = await take(ctx, input, { candidates, shown })
    if (drained) return drained
    candidates = undefined
  }
  return { ...NOTHING, remaining: await deliveries.countPending({ agent: input.agent, now: ctx.store.now() }) }
}

/** What a drain shows if nothing has changed since it was chosen. */
interface Chosen {
  readonly candidates: readonly InboxMessage[]
  readonly shown: readonly Choice[]
}

/**
 * Undefined if one of the messages has been taken meanwhile. Loss of power may undo an offer, whose messages are then
 * pending again, and ends every session.
 */
async function take(ctx: Context, input: HookDrain, chosen: Chosen): Promise<Drained | undefined> {
  const { agent, sessionId } = input
  if (sessionId === undefined) {
    const open: OfferShelf['open'] = (params) => ctx.store.single((tx) => tx.offers.open(params), { isDurable: false })
    return offerAmong(ctx, input, chosen, { deliveries: ctx.store.read.deliveries, offers: { open } })
  }
  // Loaded on use: most drains name no session. The bundle of a hook, whose drains do, contains it.
  const { putSession } = await import('../sessions/begin.ts')
  return ctx.store.transact(
    async (tx) => {
      const drained = await offerAmong(ctx, input, chosen, tx)
      if (drained) await putSession(ctx, tx, { id: sessionId, agent })
      return drained
    },
    { isDurable: false },
  )
}

interface Offering {
  readonly deliveries: Pick<DeliveryShelf, 'countPending'>
  readonly offers: Pick<OfferShelf, 'open'>
}

function choose(ctx: Context, input: HookDrain, candidates: readonly InboxMessage[]): Promise<readonly Choice[]> {
  return chooseInSlices(ctx, candidates, {
    maxMessages: input.maxMessages ?? ctx.limits.drainMessages,
    maxCharacters: input.maxCharacters ?? Number.POSITIVE_INFINITY,
    maxTokens: input.maxTokens ?? Number.POSITIVE_INFINITY,
    boundsCritical: input.boundsCritical ?? false,
  })
}

async function offerAmong(
  ctx: Context,
  input: HookDrain,
  { candidates, shown }: Chosen,
  tx: Offering,
): Promise<Drained | undefined> {
  const { agent, maxPriority, countUpTo } = input
  const maxMessages = input.maxMessages ?? ctx.limits.drainMessages
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

type TakeBackGone = (tx: Shelves) => Promise<readonly string[]>

/**
 * How to take back what sessions of the agent were offered whose host process is gone; undefined if there is none. Loaded
 * on use: most inboxes have no offer open, and those that do mostly belong to a host that lives.
 */
export async function findGone(ctx: Context, agent: string, { hosted }: Waiting): Promise<TakeBackGone | undefined> {
  if (!hosted) return undefined
  const { goneWithOffers, takeBackOf } = await import('../sessions/gone-hosts.ts')
  const gone = await goneWithOffers(ctx, ctx.store.read, agent)
  if (gone.length === 0) return undefined
  return async (tx) => {
    const closed = await takeBackOf(ctx, tx, { gone, limit: UPKEEP_LIMIT })
    return closed.flatMap(({ rings }) => rings.filter((name) => name !== agent))
  }
}

/** What lapsed, was put off until now, was broadcast or expired meanwhile is settled first, for this inbox alone. */
export async function takeBack(
  ctx: Context,
  tx: Shelves,
  agent: string,
  { lapsed, broadcasts, expired, takeBackGone }: Waiting & { readonly takeBackGone: TakeBackGone | undefined },
): Promise<readonly string[]> {
  const now = ctx.store.now()
  const rings: string[] = []
  if (takeBackGone) rings.push(...(await takeBackGone(tx)))
  if (lapsed) {
    for (const offer of await tx.offers.lapsed({ now, agent, limit: UPKEEP_LIMIT })) {
      const closed = await closeOffer(ctx, tx, offer.id, 'lapsed', lapseReason(offer))
      rings.push(...closed.rings.filter((name) => name !== agent))
    }
    await tx.snoozes.due({ agent, now, limit: UPKEEP_LIMIT })
  }
  if (broadcasts) await tx.deliveries.takeUpBroadcasts({ agent, now })
  // What lapsed comes back, and may be past its time by now.
  if (expired || lapsed || takeBackGone) await tx.deliveries.expire({ agent, now, limit: UPKEEP_LIMIT })
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
