import { parseAgentId } from '../../model/agent.ts'
import { isProgram } from '../../model/caller.ts'
import type { Plan } from '../../model/sources/plan.ts'
import type { FiredPlan, ListPlans, PlanInFull, PlanRef } from '../../model/sources/plans.ts'
import type { Context } from '../context.ts'
import { requireOwn, requirePlan } from './find.ts'
import { firePlans, nextOf } from './fire.ts'
import { upcoming } from './instants.ts'

const UPCOMING = 5
const MAX_LISTED = 1_000

/** Plans need no server: whoever looks at them first fires what is due. */
export async function listPlans(ctx: Context, { agent, all = false }: ListPlans = {}): Promise<readonly PlanInFull[]> {
  const whose = agent === undefined ? ownOf(ctx) : parseAgentId(agent)
  if (whose !== undefined) requireOwn(ctx, whose)
  await fireDue(ctx)
  const of = whose === undefined ? {} : { agent: whose }
  return plansInFull(ctx, await ctx.store.read.plans.list({ ...of, all, limit: MAX_LISTED }))
}

export async function showPlan(ctx: Context, ref: PlanRef): Promise<PlanInFull> {
  await fireDue(ctx)
  return planInFull(ctx, await requirePlan(ctx, ctx.store.read, ref))
}

async function fireDue(ctx: Context): Promise<void> {
  if (await ctx.store.read.upkeep.hasDuePlans({ now: ctx.store.now() })) await firePlans(ctx)
}

/** What recurs is read only where it must be. */
export async function plansInFull(ctx: Context, plans: readonly Plan[]): Promise<readonly PlanInFull[]> {
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
  const [full] = await plansInFull(ctx, [plan])
  return full as PlanInFull
}

function ownOf({ caller }: Context): string | undefined {
  return isProgram(caller) ? caller.id : undefined
}
