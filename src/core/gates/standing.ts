import { parseAgentId } from '../../model/agent.ts'
import type { Gate, SessionGateRule } from '../../model/gate.ts'
import type { StandingGate } from '../../model/gates.ts'
import { parseSessionId } from '../../model/session.ts'
import type { Context } from '../context.ts'
import { isGated } from './gated.ts'
import { isAskedThisTurn, isMarkable, rulesOf } from './session-rules.ts'

/** Gates that may hold or warn a session. What only a command can tell counts as open, for none is run. */
export async function standingGates(
  ctx: Context,
  input: { readonly agent: string; readonly sessionId: string },
): Promise<readonly StandingGate[]> {
  const agent = parseAgentId(input.agent)
  const sessionId = parseSessionId(input.sessionId)
  if (!(await isGated(ctx, { agent, sessionId }))) return []
  const durable = await ctx.store.read.gates.openOf({ agent })
  const rules = await rulesOf(ctx, ctx.store.read, sessionId)
  const unmet = rules.length === 0 ? [] : await withoutMarks(ctx, { agent, sessionId }, rules)
  return [...durable.map(ofGate), ...unmet.map(ofRule)]
}

async function withoutMarks(
  ctx: Context,
  { agent, sessionId }: { readonly agent: string; readonly sessionId: string },
  rules: readonly SessionGateRule[],
): Promise<readonly SessionGateRule[]> {
  const { gates, sessions } = ctx.store.read
  const marks = await gates.marks({ sessionId })
  const done = new Set(marks.filter(({ mark }) => mark === 'done').map(({ name }) => name))
  const hasQuestion = rules.some((rule) => rule.check === null && !isMarkable(rule))
  const isAsked = hasQuestion && (await isAskedThisTurn(ctx, agent, await sessions.get(sessionId)))
  return rules.filter((rule) => rule.check !== null || !(isMarkable(rule) ? done.has(rule.name) : isAsked))
}

function ofGate({ id, hook, tool, mode, reason, onUnavailable, untilAt, dueAt }: Gate): StandingGate {
  const ends = [untilAt, dueAt].filter((at) => at !== null)
  return { name: id, hook, tool, mode, reason, onUnavailable, until: ends.length === 0 ? null : Math.min(...ends) }
}

function ofRule({ name, hook, mode, reason }: SessionGateRule): StandingGate {
  return { name, hook, tool: null, mode, reason, onUnavailable: mode === 'strict' ? 'block' : 'allow', until: null }
}
