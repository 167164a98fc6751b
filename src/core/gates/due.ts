import type { Gate } from '../../model/gate.ts'

/** When a gate has to be looked at again by itself: null where only others can move it. */
export function nextLook(gate: Gate): number | null {
  const times = [gate.untilAt, gate.dueAt, nextReminder(gate), gate.escalateAt].filter((at) => at !== null)
  return times.length === 0 ? null : Math.min(...times)
}

export function nextReminder({ remindEveryMs, remindedAt, createdAt }: Gate): number | null {
  return remindEveryMs === null ? null : (remindedAt ?? createdAt) + remindEveryMs
}
