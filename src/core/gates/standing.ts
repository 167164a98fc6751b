import { startOf } from '../../kit/pure/cut.ts'
import { parseAgentId } from '../../model/agent.ts'
import type { Gate, SessionGateRule } from '../../model/gate.ts'
import {
  type FindStandingGates,
  SHOWN_REASON_CHARACTERS,
  type StandingGate,
  type StandingGates,
} from '../../model/gates.ts'
import { parseSessionId } from '../../model/session.ts'
import type { Context } from '../context.ts'
import { isGated } from './gated.ts'
import { authorOfRule, isAskedThisTurn, isMarkable, rulesOf } from './session-rules.ts'

/** Gates that may hold or warn a session. What only a command can tell counts as open, for none is run. */
export async function standingGates(ctx: Context, input: FindStandingGates): Promise<StandingGates> {
  const agent = parseAgentId(input.agent)
  const sessionId = parseSessionId(input.sessionId)
  const { known } = input
  const isHeld = await isGated(ctx, { agent, sessionId })
  if (!isHeld && !known) return { gates: [], store: null, isReplaced: false }
  const store = await ctx.store.read.upkeep.storeId()
  const durable = await ctx.store.read.gates.openOf({ agent })
  const rules = await rulesOf(ctx, ctx.store.read, sessionId)
  const unmet = rules.length === 0 ? [] : await withoutMarks(ctx, { agent, sessionId }, rules)
  const gates = [...durable.map(ofGate), ...unmet.map(ofRule)]
  const isDoubtful =
    known && (known.store !== store || known.gates.some(({ name }) => !gates.some((gate) => gate.name === name)))
  return {
    gates,
    store,
    isReplaced: isDoubtful ? await (await import('./replaced.ts')).isReplaced(ctx, { sessionId, known }, store) : false,
  }
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

/** A gate as a hook knows it. */
export function ofGate({ id: name, untilAt, dueAt, ...gate }: Gate): StandingGate {
  const { hook, tool, mode, reason, onUnavailable, createdBy, createdTrust } = gate
  const ends = [untilAt, dueAt].filter((at) => at !== null)
  const until = ends.length === 0 ? null : Math.min(...ends)
  return { name, hook, tool, mode, reason: cut(reason), onUnavailable, until, createdBy, createdTrust }
}

export function ofRule(rule: SessionGateRule): StandingGate {
  const { name, hook, mode, reason } = rule
  const onUnavailable = mode === 'strict' ? 'block' : 'allow'
  return { name, hook, tool: null, mode, reason: cut(reason), onUnavailable, until: null, ...authorOfRule(rule) }
}

/** A hook writes the reason down for each session, so it gets no more of it than it would show. */
function cut(reason: string): string {
  return startOf(reason, SHOWN_REASON_CHARACTERS)
}
