import { UNKNOWN_TRUST } from '../../src/model/caller.ts'
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
  const made = { createdBy: 'olga', createdTrust: UNKNOWN_TRUST, createdAt: 1_000_000 }
  return { id, agent, ...about, ...nothing, ...never, ...made, waiters: [], reason: 'x', closedReason: null }
}
