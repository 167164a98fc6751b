import type { DeliveryState } from '../../model/delivery.ts'

export interface UpkeepShelf {
  /** Whether a gate's time has come. */
  hasDueGates(params: { readonly now: number }): Promise<boolean>
  /** Whether a plan's instant has come. */
  hasDuePlans(params: { readonly now: number }): Promise<boolean>
  /** The earliest time after another at which a gate or a plan has to be looked at; undefined where there is none. */
  nextAt(params: { readonly after: number }): Promise<number | undefined>
  /** When each job was last claimed. */
  ranAt(): Promise<ReadonlyMap<string, number>>
  /** Claims the next slice of a named job if it is due; false where somebody else had it within the interval. */
  claim(params: { readonly job: string; readonly now: number; readonly intervalMs: number }): Promise<boolean>
  /** Forgets sessions, ended or not, of which nothing was heard since a time; at most `limit`. */
  forgetSessions(params: { readonly unheardSince: number; readonly limit: number }): Promise<number>
  /** Removes whole messages older than `idBefore`, all of whose deliveries were finished before a time; at most `limit`. */
  reap(params: { readonly finishedBefore: number; readonly idBefore: string; readonly limit: number }): Promise<number>
  counts(): Promise<Readonly<Record<DeliveryState, number>>>
}
