import { parseAgentId } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import { DECISION_STATES, type Decision } from '../../model/decision.ts'
import type { DecisionRef } from '../../model/decisions.ts'
import type { Context } from '../context.ts'
import { parseListLimit } from '../gates/list.ts'
import { tendForReader } from '../gates/tend.ts'
import { requireDecision } from '../visible.ts'

/** Questions, newest first. A program that sees only what concerns it finds its own. */
export async function listDecisions(
  ctx: Context,
  input: {
    readonly agent?: string
    readonly concerning?: string
    readonly all?: boolean
    readonly limit?: number
  } = {},
): Promise<readonly Decision[]> {
  const { all = false } = input
  const limit = parseListLimit(input.limit)
  const own = isConfined(ctx.caller) ? ctx.caller.id : undefined
  const agent = input.agent === undefined ? own : parseAgentId(input.agent)
  const concerning = input.concerning === undefined ? undefined : parseAgentId(input.concerning)
  await tendForReader(ctx)
  if (own !== undefined && agent !== own) return []
  return ctx.store.read.decisions.list({
    ...(agent !== undefined && { agent }),
    ...(concerning !== undefined && { concerning }),
    states: all ? DECISION_STATES : ['open'],
    limit,
  })
}

export async function showDecision(ctx: Context, { id }: DecisionRef): Promise<Decision> {
  await tendForReader(ctx)
  return requireDecision(ctx, ctx.store.read, id)
}
