import type { DeliveryState } from '../../model/delivery.ts'
import type { Loss } from '../../model/loss.ts'
import type { LastVerified } from '../../model/verified.ts'

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
   * belongs to them; at most `limit`. Never removes a part of a message. It looks at a bounded number of messages and
   * remembers where it stopped: the next call goes on there, in whatever process, and after the last begins anew.
   */
  reap(params: { readonly finishedBefore: number; readonly idBefore: string; readonly limit: number }): Promise<Reaped>
  /** Says when a claimed job ran. A job that has more to do says an earlier time, so that it is due again sooner. */
  rest(params: { readonly job: string; readonly ranAt: number }): Promise<void>
  /** The id that the store got when it was made. A copy and a restored backup have the same one. */
  storeId(): Promise<string>
  /**
   * Returns the acknowledged changes that were found missing when the store was opened, if they were not taken before.
   * PostgreSQL keeps its own log, so there are none.
   */
  takeLoss(): Promise<Loss | undefined>
  /** Sets the count of missing changes to zero: somebody knows of them. */
  acknowledgeLoss(): Promise<void>
  /** Remembers the result of a full check. */
  setVerified(verified: LastVerified): Promise<void>
  /** The last full check; undefined if there was none. */
  lastVerified(): Promise<LastVerified | undefined>
  /** How many deliveries are in each state. Reads all of them. */
  counts(): Promise<Readonly<Record<DeliveryState, number>>>
}

export interface Reaped {
  readonly removed: number
  /** True if there may be more to remove now. */
  readonly hasMore: boolean
}
