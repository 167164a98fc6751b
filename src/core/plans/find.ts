import { parseAgentId } from '../../model/agent.ts'
import { agentOf, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import type { Plan } from '../../model/sources/plan.ts'
import type { FiredPlan, ListPlans, PlanInFull, PlanRef } from '../../model/sources/plans.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { firePlans, nextOf } from './fire.ts'
import { upcoming } from './instants.ts'

const UPCOMING = 5
const MAX_LISTED = 1_000
const PLAN_ID = /^plan_[0-9A-Z]{26}$/

/** Plans need no server: whoever looks at them first fires what is due. */
export async function listPlans(ctx: Context, { agent, all = false }: ListPlans = {}): Promise<readonly PlanInFull[]> {
  const whose = agent === undefined ? ownOf(ctx) : parseAgentId(agent)
  if (whose !== undefined) requireOwn(ctx, whose)
  await fireDue(ctx)
  const of = whose === undefined ? {} : { agent: whose }
  return inFull(ctx, await ctx.store.read.plans.list({ ...of, all, limit: MAX_LISTED }))
}

export async function showPlan(ctx: Context, ref: PlanRef): Promise<PlanInFull> {
  await fireDue(ctx)
  return planInFull(ctx, await requirePlan(ctx, ctx.store.read, ref))
}

async function fireDue(ctx: Context): Promise<void> {
  if (await ctx.store.read.upkeep.hasDuePlans({ now: ctx.store.now() })) await firePlans(ctx)
}

/** What recurs is read only where it must be. */
export async function inFull(ctx: Context, plans: readonly Plan[]): Promise<readonly PlanInFull[]> {
  const recurrences = plans.some(({ cron }) => cron !== null) ? await ctx.recurrences() : undefined
  const fired = await lastFiredBy(ctx, plans)
  return plans.map((plan) => ({
    ...plan,
    upcomingAt: upcoming(plan, nextOf(plan, recurrences), UPCOMING),
    lastFired: fired.get(plan.id) ?? null,
  }))
}

/** The last message of each plan, as far as its agent's last messages tell. */
async function lastFiredBy(ctx: Context, plans: readonly Plan[]): Promise<ReadonlyMap<string, FiredPlan>> {
  const agents = new Set(plans.filter(({ runs }) => runs > 0).map(({ agent }) => agent))
  const fired = new Map<string, FiredPlan>()
  for (const agent of agents) {
    for (const message of await ctx.store.read.history.fired({ agent, type: 'plan' })) {
      const planId = message.ref?.slice('plan:'.length) ?? ''
      const { id: messageId, createdAt: at, state } = message
      if (!fired.has(planId)) fired.set(planId, { messageId, at, state })
    }
  }
  return fired
}

export async function planInFull(ctx: Context, plan: Plan): Promise<PlanInFull> {
  const [full] = await inFull(ctx, [plan])
  return full as PlanInFull
}

/** By its id; or by its name, for one agent. Within a transaction it is locked. */
export async function requirePlan(ctx: Context, shelves: Shelves, ref: PlanRef): Promise<Plan> {
  const plan = await findPlan(ctx, shelves, ref)
  if (!plan) throw new PosternError('PLAN_NOT_FOUND', { id: ref.id })
  requireOwn(ctx, plan.agent)
  return plan
}

export async function findPlan(ctx: Context, shelves: Shelves, { id, agent }: PlanRef): Promise<Plan | undefined> {
  requireStorable(id, 'PLAN_NOT_FOUND')
  if (isPlanId(id)) return shelves.plans.get(id)
  return shelves.plans.ofName({ agent: parseAgentId(agent ?? requireOwner(ctx)), name: id })
}

/** Whoever changes several locks them before, in one order. */
export async function lockPlans(ctx: Context, tx: Shelves, refs: readonly PlanRef[]): Promise<void> {
  if (refs.length < 2) return
  for (const { id } of refs) requireStorable(id, 'PLAN_NOT_FOUND')
  const named = refs.filter(({ id }) => !isPlanId(id))
  const agents = named.map(({ agent }) => parseAgentId(agent ?? requireOwner(ctx)))
  const names = named.map(({ id }) => id)
  await tx.plans.lock({ ids: refs.map(({ id }) => id).filter(isPlanId), agents: [...new Set(agents)], names })
}

/** Whoever has seen another revision means something else. */
export function requireUnchanged({ id, revision }: Plan, seen: number | undefined): void {
  if (seen !== undefined && seen !== revision) throw new PosternError('PLAN_CHANGED', { id, revision })
}

/** Looks like an id, which no name may. */
export function isPlanId(text: string): boolean {
  return PLAN_ID.test(text)
}

/** Whose plan is meant where nobody is named. */
export function requireOwner(ctx: Context): string {
  const own = agentOf(ctx.caller)
  if (own !== undefined) return own
  throw new PosternError('USAGE', {
    message: 'It is not clear whose plan is meant.',
    next: 'Name the agent with "--agent <agent>", or the plan by its id.',
  })
}

function ownOf({ caller }: Context): string | undefined {
  return isProgram(caller) ? caller.id : undefined
}

/** What a program plans, it plans for itself. */
export function requireOwn({ caller }: Context, agent: string): void {
  if (!isProgram(caller) || caller.id === agent) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} has nothing to do with the plans of ${agent}.`,
    next: `Let a person do it, or ask ${agent} with "postern inbox push --to ${agent}".`,
  })
}
