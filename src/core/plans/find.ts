import { parseAgentId } from '../../model/agent.ts'
import { agentOf, isConfined, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import type { Plan } from '../../model/sources/plan.ts'
import type { PlanRef } from '../../model/sources/plans.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

const PLAN_ID = /^plan_[0-9A-Z]{26}$/

/** By its id; or by its name, for one agent. Within a transaction it is locked. */
export async function requirePlan(ctx: Context, shelves: Shelves, ref: PlanRef): Promise<Plan> {
  const plan = await findPlan(ctx, shelves, ref)
  if (!plan) throw new PosternError('PLAN_NOT_FOUND', { id: ref.id })
  requireOwn(ctx, plan.agent)
  return plan
}

/** A plan of another agent does not exist for a confined program. */
export async function findPlan(ctx: Context, shelves: Shelves, { id, agent }: PlanRef): Promise<Plan | undefined> {
  requireStorable(id, 'PLAN_NOT_FOUND')
  const plan = isPlanId(id)
    ? await shelves.plans.get(id)
    : await shelves.plans.ofName({ agent: parseAgentId(agent ?? requireOwner(ctx)), name: id })
  return isConfined(ctx.caller) && plan?.agent !== ctx.caller.id ? undefined : plan
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
    next: 'Name the agent, or the plan by its id.',
  })
}

/** What a program plans, it plans for itself. */
export function requireOwn({ caller }: Context, agent: string): void {
  if (!isProgram(caller) || caller.id === agent) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} has nothing to do with the plans of ${agent}.`,
    next: `Let a person do it, or ask ${agent} with "postern inbox push --to ${agent}".`,
  })
}
