import { parseAgentId } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import { NORMAL } from '../../model/priority.ts'
import type { Plan } from '../../model/sources/plan.ts'
import type { PlanInFull, PlanRef, SetPlan } from '../../model/sources/plans.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'
import { requireGate } from '../visible.ts'
import { type PlanChange, parsePlan } from './change.ts'
import { findPlan, lockPlans, requireOwn, requireOwner, requireUnchanged } from './find.ts'
import { plansInFull } from './list.ts'
import { parseWhen, type Timing, timingOf } from './when.ts'

const MAX_AT_ONCE = 100
const WAITING_PER_AGENT = 100
const UTC = 'UTC'

/** Makes plans or changes them: all of them or none. */
export async function setPlans(
  ctx: Context,
  { plans }: { readonly plans: readonly SetPlan[] },
): Promise<readonly PlanInFull[]> {
  if (plans.length > MAX_AT_ONCE) {
    throw new PosternError('VALUE_INVALID', {
      field: 'number of plans',
      value: plans.length,
      next: `Set at most ${MAX_AT_ONCE} at once.`,
    })
  }
  const now = ctx.store.now()
  const recurrences = await ctx.recurrences()
  const wanted = plans.map((input) => {
    const timing: Timing = { now, recurrences }
    return { input, change: parsePlan(ctx, input), when: parseWhen(input, timing), timing }
  })
  const set = await ctx.store.transact(
    async (tx) => {
      const set: Plan[] = []
      await lockPlans(ctx, tx, wanted.flatMap(refOf))
      for (const each of wanted) set.push(await setPlan(ctx, tx, each))
      // Inboxes are locked after plans, as by whoever fires one.
      for (const agent of agentsOf(set)) await requireRoom(tx, agent)
      return set
    },
    { answers: ['plans.set'] },
  )
  ring(ctx, agentsOf(set))
  return plansInFull(ctx, set)
}

/** Each once and in one order, in which they are locked. */
function agentsOf(plans: readonly Plan[]): readonly string[] {
  return [...new Set(plans.map(({ agent }) => agent))].sort()
}

interface Wanted {
  readonly input: SetPlan
  readonly change: PlanChange
  readonly when: ReturnType<typeof parseWhen>
  readonly timing: Timing
}

/** What it is called that is set: an id, else a name; none where it is new and has neither. */
function refOf({ input: { id, agent }, change: { name } }: Wanted): readonly PlanRef[] {
  const ref = id ?? name
  return ref === undefined ? [] : [{ id: ref, ...(agent !== undefined && { agent }) }]
}

async function setPlan(ctx: Context, tx: Shelves, wanted: Wanted): Promise<Plan> {
  const { gateId } = wanted.change
  const known = await findKnown(ctx, tx, wanted)
  // Gates are locked after plans, as by whoever removes an agent.
  if (gateId !== undefined) await requireGate(ctx, tx, gateId)
  return known ? changePlan(ctx, tx, known, wanted) : addPlan(ctx, tx, wanted)
}

/** Undefined where it is to be made. */
async function findKnown(ctx: Context, tx: Shelves, wanted: Wanted): Promise<Plan | undefined> {
  const { id, revision } = wanted.input
  const [ref] = refOf(wanted)
  const known = ref && (await findPlan(ctx, tx, ref))
  if (known) requireOwn(ctx, known.agent)
  else if (id !== undefined || revision !== undefined)
    throw new PosternError('PLAN_NOT_FOUND', { id: ref?.id ?? 'new' })
  return known
}

async function addPlan(ctx: Context, tx: Shelves, { input, change, when, timing }: Wanted): Promise<Plan> {
  const agent = parseAgentId(input.agent ?? requireOwner(ctx))
  requireOwn(ctx, agent)
  await requireAgent(tx, agent)
  const { instruction } = change
  if (instruction === undefined) throw new PosternError('CONTENT_EMPTY')
  const id = ctx.newId('plan')
  const plan: Plan = {
    name: id,
    priority: NORMAL,
    missed: 'once',
    gateId: null,
    ...change,
    id,
    agent,
    instruction,
    ...timingOf(undefined, when, { ...timing, zone: when.zone ?? UTC, hasGate: change.gateId !== undefined }),
    pausedAt: null,
    lastRunAt: null,
    runs: 0,
    createdBy: ctx.caller.id,
    createdAt: timing.now,
    updatedAt: timing.now,
    revision: 1,
  }
  await tx.plans.insert(plan)
  return plan
}

async function changePlan({ caller }: Context, tx: Shelves, known: Plan, wanted: Wanted): Promise<Plan> {
  const { input, change, when, timing } = wanted
  requireUnchanged(known, input.revision)
  await requireAgent(tx, known.agent)
  const name = change.name ?? known.name
  if (name !== known.name) await requireFree(tx, known.agent, name)
  const zone = when.zone ?? known.zone
  const plan: Plan = {
    ...known,
    ...change,
    ...(change.instruction !== undefined && { createdBy: caller.id }),
    ...timingOf(known, when, { ...timing, zone, hasGate: change.gateId !== undefined }),
    updatedAt: timing.now,
    revision: known.revision + 1,
  }
  await tx.plans.update(plan)
  return plan
}

async function requireFree(tx: Shelves, agent: string, name: string): Promise<void> {
  if (!(await tx.plans.ofName({ agent, name }))) return
  throw new PosternError('VALUE_INVALID', {
    field: 'plan name',
    value: name,
    next: `Choose another: ${agent} has a plan of that name already.`,
  })
}

/** However fast plans make plans, so many wait at most. */
async function requireRoom(tx: Shelves, agent: string): Promise<void> {
  const waiting = await tx.plans.count({ agent })
  if (waiting <= WAITING_PER_AGENT) return
  throw new PosternError('VALUE_INVALID', {
    field: 'number of plans',
    value: waiting,
    next: `${agent} may have ${WAITING_PER_AGENT} that wait; delete some of them first with "postern plan delete <plan>".`,
  })
}
