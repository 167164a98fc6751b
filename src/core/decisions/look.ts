import { parseAgentId } from '../../model/agent.ts'
import { DECISION_STATES, type Decision } from '../../model/decision.ts'
import type { DecisionRef } from '../../model/decisions.ts'
import { PosternError } from '../../model/errors.ts'
import { RING_DECISIONS } from '../../model/ring.ts'
import type { Context } from '../context.ts'
import { parseListLimit, tendDue } from '../gates/look.ts'
import { requirePatience, waitUntil } from '../inbox/wait.ts'
import { requireDecision } from './respond.ts'

export async function listDecisions(
  ctx: Context,
  input: { readonly agent?: string; readonly all?: boolean; readonly limit?: number } = {},
): Promise<readonly Decision[]> {
  const { agent, all = false } = input
  await tendDue(ctx)
  return ctx.store.read.decisions.list({
    ...(agent !== undefined && { agent: parseAgentId(agent) }),
    states: all ? DECISION_STATES : ['open'],
    limit: parseListLimit(input.limit),
  })
}

export async function showDecision(ctx: Context, { id }: DecisionRef): Promise<Decision> {
  await tendDue(ctx)
  return requireDecision(ctx.store.read, id)
}

/** Sleeps until the question is no longer open. Its deadline is looked at too, so nobody else has to be there for that. */
export async function awaitDecision(
  ctx: Context,
  input: DecisionRef & { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<Decision> {
  requirePatience(input)
  const { dueAt } = await showDecision(ctx, input)
  const { timeoutMs } = input
  const decision = await waitUntil(ctx, [RING_DECISIONS], { ...input, wakeAt: dueAt }, async () => {
    const current = await showDecision(ctx, input)
    return current.state === 'open' ? undefined : current
  })
  if (decision) return decision
  throw new PosternError('TIMED_OUT', {
    id: input.id,
    message: `The decision ${input.id} was not answered within ${timeoutMs} ms.`,
    next: `Wait on with "postern decision await ${input.id}".`,
  })
}
