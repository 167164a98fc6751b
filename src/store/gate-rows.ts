import { type Trust, UNKNOWN_TRUST } from '../model/caller.ts'
import type { Decision } from '../model/decision.ts'
import type { Gate, SessionGate } from '../model/gate.ts'
import { formatTrust, readTrust } from './rows.ts'
import type { SqlRow, SqlValue } from './sql.ts'

/** The one place where the columns of gates and decisions become nouns and nouns columns. */

/** Rows of earlier versions do not say. */
export function readTrustOr(as: string | null): Trust {
  return as === null ? UNKNOWN_TRUST : readTrust(as)
}

export const GATE_COLUMNS =
  'id, agent_id, kind, mode, hook, tool, reason, state, awaits, folder, machine, until_at, on_unavailable, waiters, created_by, created_as, created_at, due_at, remind_every_ms, reminded_at, escalate_to, escalate_at, closed_at, closed_by, closed_reason'

export function gateValues(gate: Gate): SqlValue[] {
  return [
    gate.id,
    gate.agent,
    gate.kind,
    gate.mode,
    gate.hook,
    gate.tool,
    gate.reason,
    gate.state,
    gate.awaits,
    gate.folder,
    gate.machine,
    gate.untilAt,
    gate.onUnavailable,
    gate.waiters.join(','),
    gate.createdBy,
    formatTrust(gate.createdTrust),
    gate.createdAt,
    gate.dueAt,
    gate.remindEveryMs,
    gate.remindedAt,
    gate.escalateTo,
    gate.escalateAt,
    gate.closedAt,
    gate.closedBy,
    gate.closedReason,
  ]
}

export function readGate(row: SqlRow): Gate {
  const [id, agent, kind, mode, hook, tool, reason, state, awaits, folder, machine] = row
  const [untilAt, onUnavailable, waiters, createdBy, createdAs, createdAt, dueAt] = row.slice(11)
  const [remindEveryMs, remindedAt, escalateTo, escalateAt, closedAt, closedBy, closedReason] = row.slice(18)
  return {
    id,
    agent,
    kind,
    mode,
    hook,
    tool,
    reason,
    state,
    awaits,
    folder,
    machine,
    untilAt,
    onUnavailable,
    waiters: waiters === '' ? [] : waiters.split(','),
    createdBy,
    createdTrust: readTrustOr(createdAs),
    createdAt,
    dueAt,
    remindEveryMs,
    remindedAt,
    escalateTo,
    escalateAt,
    closedAt,
    closedBy,
    closedReason,
  }
}

export const SESSION_GATE_COLUMNS =
  'session_id, name, hook, mode, check_command, reason, machine, registered_by, registered_as, registered_at'

/** With the mark that fulfils it, if it has one. */
export function readSessionGate(row: SqlRow): SessionGate {
  const [sessionId, name, hook, mode, check, reason, machine, registeredBy, registeredAs] = row
  const [registeredAt, markedAt, markedBy] = row.slice(9)
  const registered = { registeredBy, registeredTrust: readTrustOr(registeredAs), registeredAt }
  return { sessionId, name, hook, mode, check, reason, machine, ...registered, markedAt, markedBy }
}

export const DECISION_COLUMNS =
  'id, agent_id, gate_id, question, context, options, default_option, due_at, allows_text, asked, state, created_by, created_as, created_at, answer'

export function decisionValues(decision: Decision): SqlValue[] {
  return [
    decision.id,
    decision.agent,
    decision.gateId,
    decision.question,
    decision.context,
    JSON.stringify(decision.options),
    decision.defaultOption,
    decision.dueAt,
    decision.allowsText ? 1 : 0,
    decision.asked.join(','),
    decision.state,
    decision.createdBy,
    formatTrust(decision.createdTrust),
    decision.createdAt,
    decision.answer && JSON.stringify(decision.answer),
  ]
}

export function readDecision(row: SqlRow): Decision {
  const [id, agent, gateId, question, context, options, defaultOption, dueAt, allowsText, asked, state] = row
  const [createdBy, createdAs, createdAt, answer] = row.slice(11)
  return {
    id,
    agent,
    gateId,
    question,
    context,
    options: JSON.parse(options),
    defaultOption,
    dueAt,
    allowsText: allowsText === 1,
    asked: asked === '' ? [] : asked.split(','),
    state,
    // Rows from before the column existed are the asker's own as far as anybody knows.
    createdBy: createdBy ?? agent,
    createdTrust: readTrustOr(createdAs),
    createdAt,
    answer: answer === null ? null : JSON.parse(answer),
  }
}
