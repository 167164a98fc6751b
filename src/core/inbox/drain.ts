import { parseAgentId } from '../../model/agent.ts'
import type { ShownMessage } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import type { Offer } from '../../model/offer.ts'
import type { Drained, DrainInbox } from '../../model/postern.ts'
import { parsePriority } from '../../model/priority.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import { parseSessionId } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves, Waiting } from '../../store/store.ts'
import { unknownAgent } from '../agents/roster.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings.ts'
import { putSession } from '../sessions/sessions.ts'
import { type Choice, chooseWithin } from './budget.ts'
import { closeOffer } from './offers.ts'

/** However many critical messages wait, a drain looks at no more of them than this at once. */
const CRITICAL_LIMIT = 200
const UPKEEP_LIMIT = 1_000
const VIA_BYTES = 200

const NOTHING: Drained = { offer: null, messages: [], remaining: 0 }

/** Offers what is pending. Where nothing waits, it only looks: nothing is locked and nothing written. */
export async function drainInbox(ctx: Context, input: DrainInbox): Promise<Drained> {
  const agent = parseAgentId(input.agent)
  requireSound(ctx, input)
  const waiting = await ctx.store.read.deliveries.waiting({ agent, now: ctx.store.now() })
  if (!waiting) throw await unknownAgent(ctx.store.read, agent)
  if (!isAnything(waiting)) return NOTHING
  const { drained, rings } = await ctx.store.transact((tx) => offerPending(ctx, tx, { ...input, agent }))
  ring(ctx, drained.offer ? [...rings, RING_RECEIPTS] : rings)
  return drained
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

export function isAnything({ pending, broadcasts, lapsed }: Waiting): boolean {
  return pending || broadcasts || lapsed
}

interface Offered {
  readonly drained: Drained
  /** People who were told of something and are to be rung after the commit. */
  readonly rings: readonly string[]
}

async function offerPending(ctx: Context, tx: Shelves, input: DrainInbox): Promise<Offered> {
  const { agent } = input
  const now = ctx.store.now()
  const rings = await takeBack(ctx, tx, agent, now)

  const limit = input.maxMessages ?? ctx.limits.drainMessages
  const urgency = input.maxPriority === undefined ? {} : { maxPriority: input.maxPriority }
  const candidates = await tx.deliveries.candidates({ agent, now, limit, criticalLimit: CRITICAL_LIMIT, ...urgency })
  const shown = chooseWithin(ctx, candidates, {
    maxMessages: limit,
    maxCharacters: input.maxCharacters ?? Number.POSITIVE_INFINITY,
    maxTokens: input.maxTokens ?? Number.POSITIVE_INFINITY,
  })
  if (shown.length === 0) {
    return { drained: { ...NOTHING, remaining: await tx.deliveries.countPending({ agent, now }) }, rings }
  }

  const offer = await openOffer(ctx, tx, input, shown)
  const isAll = candidates.length < limit && shown.length === candidates.length
  const remaining = isAll && input.maxPriority === undefined ? 0 : await tx.deliveries.countPending({ agent, now })
  return { drained: { offer, messages: shown.map(offered), remaining }, rings }
}

/** What lapsed, expired or was broadcast meanwhile is settled first, for this inbox alone. */
async function takeBack(ctx: Context, tx: Shelves, agent: string, now: number): Promise<readonly string[]> {
  const rings: string[] = []
  const waiting = await tx.deliveries.waiting({ agent, now })
  if (!waiting) throw new PosternError('AGENT_NOT_FOUND', { id: agent })
  if (waiting.lapsed) {
    for (const offer of await tx.offers.lapsed({ now, agent, limit: UPKEEP_LIMIT })) {
      const closed = await closeOffer(ctx, tx, offer.id, 'lapsed', lapseReason(offer))
      rings.push(...closed.rings.filter((name) => name !== agent))
    }
  }
  if (waiting.broadcasts) await tx.deliveries.takeUpBroadcasts({ agent, now })
  await tx.deliveries.expire({ agent, now, limit: UPKEEP_LIMIT })
  return rings
}

export function lapseReason(offer: Offer): string {
  return offer.printedAt === null ? 'it was never printed' : 'nothing confirmed it in time'
}

async function openOffer(ctx: Context, tx: Shelves, input: DrainInbox, shown: readonly Choice[]): Promise<Offer> {
  if (input.sessionId !== undefined) await putSession(ctx, tx, { id: input.sessionId, agent: input.agent })
  const offeredAt = ctx.store.now()
  const offer: Offer = {
    id: ctx.newId('off'),
    agent: input.agent,
    sessionId: input.sessionId ?? null,
    via: input.via ?? ctx.caller.via,
    offeredAt,
    printedAt: null,
    closedAt: null,
    outcome: null,
    evidence: null,
    expiresAt: offeredAt + ctx.limits.unprintedOfferMs,
    size: shown.length,
  }
  const headlines = shown.filter(({ form }) => form === 'headline').map(({ message }) => message.id)
  await tx.offers.open({ offer, taken: shown.map(({ message }) => message), headlines })
  return offer
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
