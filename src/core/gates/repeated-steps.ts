import type { GateStep } from '../../model/gate.ts'
import type { Shelves } from '../../store/store.ts'

export type RecordedStep = { readonly gateId: string } & GateStep

/** Steps of one kind by one caller that a gate keeps one by one. */
const MAX_KEPT = 20

/**
 * Records a step that can come any number of times. A gate keeps the first ones; the last one of its kind and caller
 * counts the others. The gate must be locked.
 */
export async function recordRepeated(
  tx: Shelves,
  step: RecordedStep,
  hasRoom: (kept: readonly GateStep[]) => boolean = (kept) => kept.length < MAX_KEPT,
): Promise<void> {
  const steps = await tx.gates.steps(step.gateId)
  const kept = steps.filter(({ step: kind, by, times }) => kind === step.step && by === step.by && times === undefined)
  if (hasRoom(kept)) await tx.gates.record(step)
  else await tx.gates.count(step)
}
