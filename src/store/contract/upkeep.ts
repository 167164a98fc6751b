import type { DeliveryState } from '../../model/delivery.ts'

/** What background jobs ask and remove. Each job runs in slices, and `claim` gives each slice to one process. */
export interface UpkeepShelf {
  /** Whether a gate is due. Locks nothing, like all the questions here. */
  hasDueGates(params: { readonly now: number }): Promise<boolean>
  /** Whether a plan is due. */
  hasDuePlans(params: { readonly now: number }): Promise<boolean>
  /** The earliest time after `after` at which a gate or a plan is due; undefined if there is none. */
  nextAt(params: { readonly after: number }): Promise<number | undefined>
  /** When each job was last claimed. */
  ranAt(): Promise<ReadonlyMap<string, number>>
  /** Claims the next slice of a named job if it is due; false if another process claimed it within the interval. */
  claim(params: { readonly job: string; readonly now: number; readonly intervalMs: number }): Promise<boolean>
  /**
   * Removes sessions, ended or not, whose last event is older than a time, and returns how many; at most `limit`. One
   * with an open offer stays.
   */
  forgetSessions(params: { readonly unheardSince: number; readonly limit: number }): Promise<number>
  /**
   * Removes messages older than `idBefore` whose deliveries were all finished before a time, with everything that
   * belongs to them, and returns how many; at most `limit`. Never removes a part of a message.
   */
  reap(params: { readonly finishedBefore: number; readonly idBefore: string; readonly limit: number }): Promise<number>
  /** How many deliveries are in each state. Reads all of them. */
  counts(): Promise<Readonly<Record<DeliveryState, number>>>
}
