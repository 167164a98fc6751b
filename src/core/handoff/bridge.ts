import type { HandoffRoot } from '../../handoff/handoff-shelf.ts'
import { cutToCharacters } from '../../kit/pure/cut.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { inQuotes } from '../../kit/pure/shell-word.ts'
import { agentOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import type { LeaveItem } from '../../model/handoff/handoff.ts'
import { ITEM_PRIORITIES, type ItemPriority, type ItemRef } from '../../model/handoff/item.ts'
import { type Priority, parsePriority } from '../../model/priority.ts'
import type { Context } from '../context.ts'
import { afterCreation, draftGate, insertGate } from '../gates/create.ts'
import { deletePlans } from '../plans/moves.ts'
import { setPlans } from '../plans/set.ts'
import { requireAgent } from '../registry/find.ts'
import type { ItemWords } from './draft.ts'
import { headlineOf } from './headline.ts'
import { threadKey } from './threads.ts'

const EXCERPT_CHARACTERS = 2_000

/** Whom a thread holds, or reminds: the agent that it is for, else whoever leaves it. */
export async function requireBridged(ctx: Context, { to }: ItemWords, { plan, gate }: LeaveItem): Promise<string> {
  const agent = to ?? agentOf(ctx.caller)
  if (to !== null || (agent !== undefined && (plan || gate))) await requireAgent(ctx.store.read, agent ?? '')
  if (agent === undefined && (plan || gate)) {
    throw new PosternError('USAGE', {
      message: 'It is not clear whom the thread holds or reminds.',
      next: 'Name the agent, or say who you are.',
    })
  }
  return agent ?? ''
}

/** A gate that is not set up yet, so that the file can name it before. */
export function draftThreadGate(ctx: Context, agent: string, { body }: ItemWords): Gate {
  const reason = `An open thread waits until a session inherits it (postern handoff inherit): ${headlineOf(body)}`
  return draftGate(ctx, { agent, kind: 'human', reason })
}

export interface Bridges {
  readonly gate: Gate | null
  readonly plan: string | null
}

/**
 * Sets up the gate of a thread, and notes of which thread the plan reminds. The item stands already: a gate without one
 * would hold its agent for nothing.
 */
export async function bindThread(
  ctx: Context,
  { gate, plan }: Bridges,
  place: HandoffRoot,
  item: ItemRef,
): Promise<void> {
  const key = threadKey({ machine: ctx.machine.name, root: place.root }, item)
  await ctx.store.transact(async (tx) => {
    // Gates are locked after plans, as by whoever removes an agent.
    const known = plan === null ? undefined : await tx.plans.get(plan)
    if (known) await tx.plans.update({ ...known, about: key })
    if (gate === null) return
    await requireAgent(tx, gate.agent)
    await insertGate(ctx, tx, { ...gate, awaits: key })
  })
  if (gate) await afterCreation(ctx, gate)
}

/** A plan that brings the thread back. It says all that is needed, so it needs no file to be of use. */
export async function setThreadPlan(
  ctx: Context,
  { agent, root, session }: { readonly agent: string; readonly root: string; readonly session: string },
  { body, priority }: ItemWords,
  plan: NonNullable<LeaveItem['plan']>,
): Promise<string> {
  const instruction = [
    `Go on with the thread that ${session} left in ${root}:`,
    cutToCharacters(body.trim(), EXCERPT_CHARACTERS),
    `See what waits there with: postern handoff list --project ${quoted(root)}`,
  ].join('\n')
  const [set] = await setPlans(ctx, { plans: [{ ...plan, agent, instruction, priority: messagePriority(priority) }] })
  return set?.id ?? ''
}

/** Why the item could not be left is what its writer has to know. */
export async function takePlanBack(ctx: Context, id: string | null): Promise<void> {
  if (id === null) return
  try {
    await deletePlans(ctx, { ids: [id] })
  } catch (error) {
    ctx.note('handoff.plan-left', { planId: id, error: reasonOf(error) })
  }
}

/** high, medium and low are 1, 2 and 3. */
export function messagePriority(priority: ItemPriority): Priority {
  return parsePriority(ITEM_PRIORITIES.indexOf(priority) + 1)
}

/** As one word of a shell. */
export function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : inQuotes(path)
}
