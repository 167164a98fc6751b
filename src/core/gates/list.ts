import { parseAgentId } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { GATE_STATES, type Gate } from '../../model/gate.ts'
import type { GateInFull, GateRef } from '../../model/gates.ts'
import type { Context } from '../context.ts'
import { requireGate } from '../visible.ts'
import { tendForReader } from './tend.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

/** Gates in order of age, newest first. A program that sees only what concerns it finds no others. */
export async function listGates(
  ctx: Context,
  input: { readonly agent?: string; readonly all?: boolean; readonly limit?: number } = {},
): Promise<readonly Gate[]> {
  const { agent, all = false } = input
  await tendForReader(ctx)
  return ctx.store.read.gates.list({
    ...(agent !== undefined && { agent: parseAgentId(agent) }),
    ...(isConfined(ctx.caller) && { concerning: ctx.caller.id }),
    states: all ? GATE_STATES : ['open'],
    limit: parseListLimit(input.limit),
  })
}

export function parseListLimit(limit: number = DEFAULT_LIMIT): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new PosternError('VALUE_INVALID', {
    field: 'limit',
    value: limit,
    next: `Use a number from 1 to ${MAX_LIMIT}.`,
  })
}

export async function showGate(ctx: Context, { id }: GateRef): Promise<GateInFull> {
  await tendForReader(ctx)
  const gate = await requireGate(ctx, ctx.store.read, id)
  return { gate, steps: await ctx.store.read.gates.steps(id) }
}
