import type { Gate, GateStep } from '../model/gate.ts'
import { quoteLines } from './fence.ts'
import { BLOCK, neutralise } from './neutralise.ts'
import { authorOf, formatTime, token } from './provenance.ts'

/** A gate: our own line with its creator, then its words, quoted, then what happened at it. */
export function renderGate(gate: Gate, steps: readonly GateStep[] = []): string {
  const { awaits, untilAt, dueAt } = gate
  return [
    `├─ ${headline(gate).join(' · ')}`,
    ...quoteLines(neutralise(gate.reason, BLOCK)),
    ...(awaits === null ? [] : ['├  waits for', ...quoteLines(neutralise(awaits, BLOCK))]),
    ...(untilAt === null ? [] : [`├  until ${formatTime(untilAt)}`]),
    ...(dueAt === null ? [] : [`├  expires at ${formatTime(dueAt)}`]),
    ...steps.flatMap(stepLines),
  ].join('\n')
}

function headline(gate: Gate): readonly string[] {
  const { id, state, mode, kind, agent, hook, tool, createdBy, createdTrust, createdAt } = gate
  const held = hook === 'tool' ? `the use of ${tool === null ? 'any tool' : token(tool)}` : 'the end of a turn'
  return [
    token(id),
    state,
    `${mode} ${kind} gate of ${token(agent)} on ${held}`,
    `set by ${authorOf({ id: createdBy, ...createdTrust })}`,
    formatTime(createdAt),
  ]
}

/** The evidence may be the words of the caller that reports it. */
function stepLines({ at, step, by, trust, sessionId, evidence, times = 1 }: GateStep): readonly string[] {
  const session = sessionId === null ? [] : [`session ${token(sessionId)}`]
  const head = [formatTime(at), token(step), `by ${authorOf({ id: by, ...trust })}`, ...session]
  if (times > 1) head.push(`the last of ${times} further ones`)
  return [`├  ${head.join(' · ')}`, ...quoteLines(neutralise(evidence, BLOCK))]
}
