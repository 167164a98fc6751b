import type { Gate } from '../../model/gate.ts'

/** Nobody tells of what others write into a file, so it is looked at this often. */
const BUS_LOOK_MS = 10_000
/** What lies on another machine is left to that one. */
const FOREIGN_LOOK_MS = 2_000

/** When a gate has to be looked at again by itself: null where only others can move it. */
export function nextLook(
  gate: Gate,
  { now, machine }: { readonly now: number; readonly machine: string },
): number | null {
  const onBus = gate.kind === 'bus' ? now + (gate.machine === machine ? BUS_LOOK_MS : FOREIGN_LOOK_MS) : null
  const times = [gate.untilAt, gate.dueAt, nextReminder(gate), gate.escalateAt, onBus].filter((at) => at !== null)
  return times.length === 0 ? null : Math.min(...times)
}

export function nextReminder({ remindEveryMs, remindedAt, createdAt }: Gate): number | null {
  return remindEveryMs === null ? null : (remindedAt ?? createdAt) + remindEveryMs
}
