import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Plan } from '../../model/sources/plan.ts'
import type { ChangePlan, DeletePlans, PlanInFull } from '../../model/sources/plans.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'
import { findPlan, lockPlans, requireOwn, requirePlan, requireUnchanged } from './find.ts'
import { firing, nextOf, planAuthor } from './fire.ts'
import { planInFull } from './list.ts'

const MAX_DELETED = 1_000

/** All of them or none: what is not there is named. */
export async function deletePlans(
  ctx: Context,
  { ids, agent }: DeletePlans,
): Promise<{ readonly deleted: readonly string[] }> {
  if (ids.length > MAX_DELETED) {
    throw new PosternError('VALUE_INVALID', {
      field: 'number of plans',
      value: ids.length,
      next: `Delete at most ${MAX_DELETED} at once.`,
    })
  }
  return ctx.store.transact(
    async (tx) => {
      const refs = ids.map((id) => ({ id, ...(agent !== undefined && { agent }) }))
      await lockPlans(ctx, tx, refs)
      const found: string[] = []
      const missing: string[] = []
      for (const ref of refs) {
        const plan = await findPlan(ctx, tx, ref)
        if (plan) requireOwn(ctx, plan.agent)
        if (plan) found.push(plan.id)
        else missing.push(ref.id)
      }
      if (missing.length > 0) throw new PosternError('PLAN_NOT_FOUND', { id: missing.join(', ') })
      const deleted = [...new Set(found)]
      await tx.plans.delete({ ids: deleted })
      return { deleted }
    },
    { answers: ['plans.delete'] },
  )
}

/** While it is paused it has no instants. One that is paused already stays as it is. */
export async function pausePlan(ctx: Context, ref: ChangePlan): Promise<PlanInFull> {
  const plan = await ctx.store.transact(
    async (tx) => {
      const plan = await requireRevision(ctx, tx, ref)
      return plan.pausedAt === null ? changePlan(ctx, tx, plan, { pausedAt: ctx.store.now() }) : plan
    },
    { answers: ['plans.pause'] },
  )
  return planInFull(ctx, plan)
}

/** Goes on with what is to come. What would have come while it was paused does not fire. */
export async function resumePlan(ctx: Context, ref: ChangePlan): Promise<PlanInFull> {
  const recurrences = await ctx.recurrences()
  const plan = await ctx.store.transact(
    async (tx) => {
      const plan = await requireRevision(ctx, tx, ref)
      if (plan.pausedAt === null) return plan
      const now = ctx.store.now()
      const { cron, gateId, nextRunAt } = plan
      // One that waits for a gate goes on waiting for it, however long that takes.
      const isToCome = nextRunAt === null || nextRunAt > now || (cron === null && gateId !== null)
      const next = isToCome ? nextRunAt : (nextOf(plan, recurrences)(now) ?? null)
      return changePlan(ctx, tx, plan, { pausedAt: null, nextRunAt: next })
    },
    { answers: ['plans.resume'] },
  )
  ring(ctx, [plan.agent])
  return planInFull(ctx, plan)
}

/** Fires a plan now, whatever its own instants, which stay as they are. */
export async function runPlan(
  ctx: Context,
  ref: ChangePlan,
): Promise<{ readonly plan: PlanInFull; readonly messageId: string }> {
  const { plan, message } = await ctx.store.transact(
    async (tx) => {
      const plan = await requireRevision(ctx, tx, ref)
      await requireAgent(tx, plan.agent)
      await requireBudget(ctx, tx, plan)
      const now = ctx.store.now()
      const message = firing(ctx, plan, { from: await planAuthor(tx, plan), at: now, dedupKey: null })
      await tx.messages.push({ items: [{ message, held: [] }], pendingLimit: ctx.limits.pendingPerAgent })
      return { plan: await changePlan(ctx, tx, plan, { lastRunAt: now, runs: plan.runs + 1 }), message }
    },
    { answers: ['plans.run'] },
  )
  ring(ctx, [plan.agent])
  return { plan: await planInFull(ctx, plan), messageId: message.id }
}

async function requireRevision(ctx: Context, tx: Shelves, ref: ChangePlan): Promise<Plan> {
  const plan = await requirePlan(ctx, tx, ref)
  requireUnchanged(plan, ref.revision)
  return plan
}

/** A program that runs its plan wakes itself, so it may not do that for ever. */
async function requireBudget(ctx: Context, tx: Shelves, { agent }: Plan): Promise<void> {
  if (!isProgram(ctx.caller)) return
  const { pairBurst: burst, pairPerMinute: perMinute } = ctx.limits
  if (await tx.budgets.take({ from: ctx.caller.id, to: agent, now: ctx.store.now(), burst, perMinute })) return
  throw new PosternError('RATE_LIMITED', { seconds: Math.ceil(60 / Math.max(1, perMinute)) })
}

function changePlan(ctx: Context, tx: Shelves, plan: Plan, changes: Partial<Plan>): Promise<Plan> {
  const changed = { ...plan, ...changes, updatedAt: ctx.store.now(), revision: plan.revision + 1 }
  return tx.plans.update(changed).then(() => changed)
}
