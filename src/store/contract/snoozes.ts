import type { InboxMessage } from '../../model/delivery.ts'

/** Single deliveries that their own agent picks out: to read them, or to put them off. */
export interface SnoozeShelf {
  /** Those of these messages that are pending for the agent, by priority, then order. Locked until the transaction ends. */
  pendingOf(params: {
    readonly agent: string
    readonly ids: readonly string[]
    readonly now: number
  }): Promise<readonly InboxMessage[]>
  /**
   * Holds a delivery until a time, whether it was shown before or not; one that is put off already until another. What its
   * offer knows is kept in its history. False where it is in no state to be put off.
   */
  snooze(params: SnoozeParams & { readonly untilAt: number }): Promise<boolean>
  /**
   * Makes a delivery that was put off pending again, also where its time to live has ended meanwhile: that counts no more.
   * False where it was not put off.
   */
  wake(params: SnoozeParams): Promise<boolean>
  /** Makes deliveries pending again whose time has come, at most `limit`; returns whose they are. */
  due(params: {
    readonly now: number
    readonly limit: number
    readonly agent?: string | undefined
  }): Promise<readonly string[]>
  /** Whether there are such, without a lock. */
  hasDue(params: { readonly now: number; readonly agent?: string | undefined }): Promise<boolean>
  /**
   * Who was shown a message before, whatever has become of it since: put off, or pending again. All its deliveries are
   * locked until the transaction ends. What only a present offer knows is not in it.
   */
  seenBy(id: string): Promise<readonly string[]>
  countSnoozed(): Promise<number>
}

export interface SnoozeParams {
  readonly id: string
  readonly agent: string
  readonly at: number
  readonly by: string
  readonly reason: string
}
