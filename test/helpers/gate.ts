import type { Gate } from '../../src/model/gate.ts'

/** An open gate that only a person can end. */
export function gate(id: string, agent: string): Gate {
  const about = { kind: 'human', mode: 'strict', hook: 'stop', onUnavailable: 'allow', state: 'open' } as const
  const nothing = {
    tool: null,
    awaits: null,
    folder: null,
    machine: null,
    untilAt: null,
    dueAt: null,
    remindEveryMs: null,
  }
  const never = { remindedAt: null, escalateTo: null, escalateAt: null, closedAt: null, closedBy: null }
  const made = { createdBy: 'olga', createdAt: 1_000_000, waiters: [], reason: 'x', closedReason: null }
  return { id, agent, ...about, ...nothing, ...never, ...made }
}
