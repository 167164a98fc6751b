import type { Decision } from '../../model/decision.ts'
import type { DecisionRef } from '../../model/decisions.ts'
import { PosternError } from '../../model/errors.ts'
import { RING_DECISIONS } from '../../model/ring.ts'
import type { Context } from '../context.ts'
import { requirePatience, waitUntil } from '../rings/wait-until.ts'
import { showDecision } from './list.ts'

/** Waits until the question is no longer open. It also wakes at the deadline, so no other process has to close the question. */
export async function awaitDecision(
  ctx: Context,
  input: DecisionRef & { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<Decision> {
  requirePatience(input)
  const { dueAt } = await showDecision(ctx, input)
  const decision = await waitUntil(ctx, [RING_DECISIONS], { ...input, wakeAt: dueAt }, async () => {
    const current = await showDecision(ctx, input)
    return current.state === 'open' ? undefined : current
  })
  if (decision) return decision
  throw new PosternError('TIMED_OUT', {
    id: input.id,
    message: `The decision ${input.id} was not answered in time.`,
    next: `Wait on with "postern decision await ${input.id}".`,
  })
}
