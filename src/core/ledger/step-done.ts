import type { LedgerParcel } from '../../model/ledger/parcel.ts'

/** What the ledger has said about a step that it took. */
export interface StepResult {
  readonly topicId: string | null
  readonly sequence: number | null
}

/** A parcel after the ledger has taken its next step, with what later steps must know of that one. */
export function stepDone(parcel: LedgerParcel, { topicId, sequence }: StepResult): LedgerParcel {
  const step = parcel.steps[parcel.done]
  const made = { ...parcel.made }
  if (step?.kind === 'topic' && topicId !== null) made[step.name] = topicId
  if (step?.kind === 'submission' && step.name !== undefined && sequence !== null) made[step.name] = String(sequence)
  const isPlace = step?.kind === 'submission' && !step.isRecord
  return {
    ...parcel,
    done: parcel.done + 1,
    made,
    sequence: isPlace ? sequence : parcel.sequence,
    transaction: null,
    attempts: 0,
    error: null,
  }
}
