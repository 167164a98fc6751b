import { reasonOf } from '../../kit/pure/reason-of.ts'
import { LOCAL_CALLER, UNKNOWN_TRUST } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Message, Sender } from '../../model/message.ts'
import { VIA_PLAN } from '../../model/sources/inbox-event.ts'
import { firingKey, type Plan } from '../../model/sources/plan.ts'
import type { Shelves, TransactOptions } from '../../store/store.ts'
import type { Context, Recurrences } from '../context.ts'
import { type PeopleNotice, tellPeople } from '../notices/notice.ts'
import { ring } from '../rings/ring.ts'
import { dueInstants, MOST_AT_ONCE, type Next } from './instants.ts'

/** What happens when the instant of a plan has come. A part of its own, which most commands never load. */

const AT_ONCE = 20
const MAX_A_RUN = 500

export interface Firing {
  /** How many messages were pushed. */
  readonly fired: number
  /** Some plans stay due although the store was to be had: they are tried again later. */
  readonly isHeldUp: boolean
}

/** Fires what is due, of one agent or of all: each plan for itself, so that none stands in the way of another. */
export async function firePlans(
  ctx: Context,
  { agent, ...options }: TransactOptions & { readonly agent?: string } = {},
): Promise<Firing> {
  const now = ctx.store.now()
  const tried = new Set<string>()
  const full = new Set<string>()
  let fired = 0
  let isHeldUp = false
  while (tried.size < MAX_A_RUN) {
    const look = { now, limit: AT_ONCE + tried.size, without: [...full], ...(agent !== undefined && { agent }) }
    const due = (await ctx.store.read.plans.due(look)).filter(({ id }) => !tried.has(id)).slice(0, AT_ONCE)
    if (due.length === 0) break
    for (const { plan, ...outcome } of await fireEach(ctx, due, options)) {
      tried.add(plan.id)
      fired += outcome.fired
      if (outcome.fired > 0) ring(ctx, [plan.agent])
      isHeldUp ||= outcome.failure !== undefined && !isBusy(outcome.failure)
      if (!isInboxFull(outcome.failure)) continue
      if (!full.has(plan.agent)) await tellOfFullInbox(ctx, plan)
      full.add(plan.agent)
    }
  }
  return { fired, isHeldUp }
}

interface Outcome {
  readonly plan: Plan
  readonly fired: number
  readonly failure?: unknown
}

/** Those of one agent come to it in their order; on SQLite those of several share one commit. */
async function fireEach(ctx: Context, due: readonly Plan[], options: TransactOptions): Promise<readonly Outcome[]> {
  const recurrences = due.some(({ cron }) => cron !== null) ? await ctx.recurrences() : undefined
  const fire = (plan: Plan, most: number) =>
    ctx.store.transact((tx) => firePlan(ctx, tx, { id: plan.id, recurrences, most }), options)
  const tryPlan = async (plan: Plan): Promise<Outcome> => {
    try {
      return { plan, fired: await fire(plan, MOST_AT_ONCE).catch((error) => fireOne(error, plan, fire)) }
    } catch (failure) {
      if (!isInboxFull(failure) && !isBusy(failure))
        ctx.note('plan.failed', { planId: plan.id, error: reasonOf(failure) })
      return { plan, fired: 0, failure }
    }
  }
  const outcomes = [...Map.groupBy(due, ({ agent }) => agent).values()].map(async (plans) => {
    const inTurn: Outcome[] = []
    for (const plan of plans) inTurn.push(await tryPlan(plan))
    return inTurn
  })
  return (await Promise.all(outcomes)).flat()
}

/** Where not all that was missed finds room, one of them may. */
function fireOne(error: unknown, plan: Plan, fire: (plan: Plan, most: number) => Promise<number>): Promise<number> {
  if (plan.missed !== 'all' || !isInboxFull(error)) throw error
  return fire(plan, 1)
}

interface Claim {
  readonly id: string
  readonly recurrences: Recurrences | undefined
  readonly most: number
}

/** Claims a plan, pushes what is due of it and sets its next instant: all of that, or nothing. */
async function firePlan(ctx: Context, tx: Shelves, { id, recurrences, most }: Claim): Promise<number> {
  const now = ctx.store.now()
  const plan = await tx.plans.claim({ id, now })
  // One that has got a rhythm since it was looked at is for the next look.
  if (!plan || (plan.cron !== null && !recurrences)) return 0
  const agent = await tx.agents.get(plan.agent)
  if (agent?.removedAt !== null) {
    await tx.plans.delete({ ids: [plan.id] })
    return 0
  }
  const { instants, nextRunAt } = dueInstants(plan, nextOf(plan, recurrences), { now, most })
  const fresh = await neverFired(tx, plan, instants)
  if (fresh.length > 0) {
    const from = await planAuthor(tx, plan)
    const items = fresh.map((at) => ({
      message: firing(ctx, plan, { from, at, dedupKey: firingKey(plan.id, at) }),
      held: [],
    }))
    await tx.messages.push({ items, pendingLimit: ctx.limits.pendingPerAgent })
  }
  await tx.plans.update({
    ...plan,
    nextRunAt,
    lastRunAt: fresh.length > 0 ? now : plan.lastRunAt,
    runs: plan.runs + fresh.length,
    updatedAt: now,
    revision: plan.revision + 1,
  })
  return fresh.length
}

/** What comes after an instant of a plan. */
export function nextOf({ cron, zone }: Plan, recurrences: Recurrences | undefined): Next {
  return (after) => (cron === null ? undefined : recurrences?.next({ cron, zone }, after))
}

/** Where the clock was set back and the plan then set anew, an instant may come again that has fired already. */
async function neverFired(tx: Shelves, plan: Plan, instants: readonly number[]): Promise<readonly number[]> {
  const fresh: number[] = []
  for (const at of instants) {
    const dedupKey = firingKey(plan.id, at)
    const had = await tx.deliveries.withKey({ agents: [plan.agent], dedupKey })
    if (had.length === 0) fresh.push(at)
  }
  return fresh
}

/** The words of a plan are those of the caller that set it. The store does not keep what proved that caller. */
export async function planAuthor(tx: Shelves, { createdBy: id }: Plan): Promise<Sender> {
  const kind = id === LOCAL_CALLER.id ? LOCAL_CALLER.kind : ((await tx.agents.get(id))?.kind ?? UNKNOWN_TRUST.kind)
  return { id, kind, verified: false, via: VIA_PLAN }
}

export interface PlanMessage {
  readonly from: Sender
  readonly at: number
  readonly dedupKey: string | null
}

/** The message of a plan, as its agent gets it. */
export function firing(ctx: Context, plan: Plan, { from, at, dedupKey }: PlanMessage): Message {
  const id = ctx.newId('msg')
  const payload = { planId: plan.id, planName: plan.name, scheduledAt: new Date(at).toISOString() }
  return {
    id,
    type: 'plan',
    from,
    to: [plan.agent],
    subject: plan.name,
    content: plan.instruction,
    payload,
    context: null,
    priority: plan.priority,
    ref: `plan:${plan.id}`,
    replyTo: null,
    threadId: id,
    hops: 0,
    dedupKey,
    attachments: [],
    trace: null,
    createdAt: ctx.store.now(),
    expiresAt: null,
  }
}

function isInboxFull(error: unknown): boolean {
  return error instanceof PosternError && error.code === 'INBOX_FULL'
}

/** Somebody else has the store for a moment: nothing is wrong with the plan. */
function isBusy(error: unknown): boolean {
  return error instanceof PosternError && error.code === 'STORE_BUSY'
}

/** A plan whose inbox is full stays due, and a person is told once. */
async function tellOfFullInbox(ctx: Context, plan: Plan): Promise<void> {
  try {
    ring(
      ctx,
      await ctx.store.transact(async (tx) =>
        tellPeople(ctx, tx, { ...fullNotice(plan), cause: await planAuthor(tx, plan) }),
      ),
    )
  } catch (error) {
    ctx.note('notice.failed', { error: reasonOf(error) })
  }
}

function fullNotice({ id, agent, nextRunAt }: Plan): PeopleNotice {
  return {
    key: `plan-full:${id}:${nextRunAt}`,
    subject: `A plan of ${agent} waits: the inbox is full`,
    content: `The plan ${id} of ${agent} cannot fire while the inbox of ${agent} is full. It is tried again, and so are others of ${agent}. See what waits with "postern inbox list --agent ${agent}".`,
  }
}
