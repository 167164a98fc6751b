import { hasCredential } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { type Offer, VIA_TOOL } from '../../model/offer.ts'
import type { NotedEvent, NoteEvent, StopOutcome } from '../../model/postern.ts'
import { FIRED_WITHIN_MS, parseMilliseconds, parseSessionId, type Session } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves, TurnParams } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { closeOffer } from '../offers/offers.ts'
import { ring } from '../rings/ring.ts'
import { putSession, requireLocal } from './begin.ts'

const EVENT_BYTES = 100
const FIRING_BYTES = 500
const MAX_CONTINUATIONS = 2_000

/**
 * Notes an event of a host: the session lives, works or rests, and whatever it was shown before the event began it has
 * consumed. Unless there is something to confirm this need not outlast a loss of power, so nobody waits for the disk.
 */
export async function noteEvent(ctx: Context, input: NoteEvent): Promise<NotedEvent> {
  const id = parseSessionId(input.id)
  parseText('event', input.event, EVENT_BYTES)
  if (input.firing !== undefined) parseText('firing', input.firing, FIRING_BYTES)
  requireAge(input)
  requireContinuations(input)
  for (const field of ['firing', 'minContinuations'] as const) if (input[field] !== undefined) requireLocal(ctx, field)
  // Read before anything is waited for: age and clock are of the same moment only now.
  const now = ctx.store.now()
  const begunAt = input.ageMs === undefined ? null : Math.floor(now - input.ageMs)
  const printed = begunAt === null ? undefined : { sessionId: id, before: begunAt, now }
  const toConfirm = printed ? readBy(input, await ctx.store.read.offers.printedOf(printed)) : []
  const { rings, ...noted } = await ctx.store.transact(
    async (tx) => {
      const session = await putSession(ctx, tx, await inItsProject(tx, input), begunAt)
      if (await isRepetition(ctx, tx, input)) return { session, isRepeated: true, confirmed: 0, rings: [] }
      const turn = turnAfter(ctx, input)
      const current = turn && (await tx.sessions.setTurn(turn))
      const shown = printed ? readBy(input, await tx.offers.printedOf(printed)) : []
      const rings = await closeShown(ctx, tx, input, shown)
      return { session: current ?? session, isRepeated: false, confirmed: input.loses ? 0 : shown.length, rings }
    },
    { isDurable: toConfirm.length > 0 },
  )
  ring(ctx, rings)
  return { ...noted, begunAt }
}

/** What the model has read when the event comes. Tools of one batch begin and end before it is asked again. */
function readBy({ event }: NoteEvent, offers: readonly Offer[]): readonly Offer[] {
  return event.startsWith('tool.') ? offers.filter(({ via }) => via !== VIA_TOOL) : offers
}

async function closeShown(
  ctx: Context,
  tx: Shelves,
  { event, loses = false }: NoteEvent,
  shown: readonly Offer[],
): Promise<readonly string[]> {
  const [outcome, evidence] = loses
    ? (['released', `it was lost before the model read it: ${event}`] as const)
    : (['confirmed', `the session went on: ${event}`] as const)
  const rings: string[] = []
  for (const { id } of shown) rings.push(...(await closeOffer(ctx, tx, id, outcome, evidence)).rings)
  return rings
}

/** A session stays in the project in which it began, wherever its agent walks meanwhile. */
async function inItsProject(tx: Shelves, input: NoteEvent): Promise<NoteEvent> {
  if (input.event === 'session.start') return input
  const project = (await tx.sessions.get(input.id))?.project
  return project == null ? input : { ...input, project }
}

function requireAge({ ageMs = 0 }: Pick<NoteEvent, 'ageMs'>): void {
  parseMilliseconds('age', ageMs)
}

/** A hook without its store puts off only a few stops. More would overflow the count that the store keeps. */
function requireContinuations({ minContinuations: count = 0 }: Pick<NoteEvent, 'minContinuations'>): void {
  if (Number.isInteger(count) && count >= 0 && count <= MAX_CONTINUATIONS) return
  const next = `Give a whole number from 0 to ${MAX_CONTINUATIONS}.`
  throw new PosternError('VALUE_INVALID', { field: 'minContinuations', value: count, next })
}

async function isRepetition(ctx: Context, tx: Shelves, { id, firing }: NoteEvent): Promise<boolean> {
  if (firing === undefined) return false
  const at = ctx.store.now()
  return tx.sessions.hasFired({ id, firing, at, since: at - FIRED_WITHIN_MS })
}

/**
 * A session that begins waits for its first prompt. A prompt begins a turn, and with it the count of its continuations;
 * a tool, or a prompt that continues one, only shows that a turn goes on. Stops that the store could not count belong to
 * the current turn, never to a new one. An event from afar may be invented, so it leaves the count alone: a held agent
 * that resets it would be let go by its host, which records nothing.
 */
function turnAfter(ctx: Context, { id, event, minContinuations = 0 }: NoteEvent): TurnParams | undefined {
  const reset = hasCredential(ctx.caller) ? {} : ({ continuations: 'none' } as const)
  if (event === 'session.start') return { id, idleSince: ctx.store.now(), ...reset }
  if (event === 'prompt.submit') return { id, idleSince: null, ...reset }
  if (['prompt.continued', 'tool.before', 'tool.after'].includes(event))
    return { id, idleSince: null, minContinuations }
  return minContinuations > 0 ? { id, minContinuations } : undefined
}

/**
 * The end of a turn was put off once more; or it was not, and the session rests. Only hooks of this machine say so. The
 * count decides when a strict gate gives way, and a hook asks nothing about a stop that another hook has just granted, so
 * the held agent must report no outcome with its token.
 */
export async function setStop(
  ctx: Context,
  input: { readonly id: string; readonly outcome: StopOutcome; readonly ageMs?: number },
): Promise<Session> {
  const id = parseSessionId(input.id)
  requireAge(input)
  requireLocal(ctx, 'outcome')
  const now = ctx.store.now()
  const isReleased = input.outcome === 'released'
  const turn: TurnParams =
    input.outcome === 'continued'
      ? {
          id,
          idleSince: null,
          continued: { at: now, begunAt: input.ageMs === undefined ? Number.MAX_SAFE_INTEGER : now - input.ageMs },
        }
      : { id, idleSince: now, continuations: 'none', stoppedAt: now }
  // It is rare, so it is loaded on use, before the transaction.
  const release = isReleased ? await import('./release.ts') : undefined
  const { session, rings } = await ctx.store.transact(
    async (tx) => {
      const before = release && (await tx.sessions.get(id))
      const session = await tx.sessions.setTurn(turn)
      if (!session) throw new PosternError('SESSION_NOT_FOUND', { id })
      return { session, rings: before ? await release.tellOfRelease(ctx, tx, before) : [] }
    },
    { isDurable: isReleased },
  )
  ring(ctx, rings)
  return session
}
