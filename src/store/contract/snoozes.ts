import type { InboxMessage } from '../../model/delivery.ts'

/** Single deliveries that their own agent chooses: to read them now, or to snooze them. */
export interface SnoozeShelf {
  /** Which of these messages are pending for the agent, by priority, then order. Locked until the transaction ends. */
  pendingOf(params: {
    readonly agent: string
    readonly ids: readonly string[]
    readonly now: number
  }): Promise<readonly InboxMessage[]>
  /**
   * Holds a delivery until a time, whether it was shown before or not. A delivery that is snoozed already gets the new
   * time. What its offer recorded is copied to its history, because the next offer takes that one's place. False if its
   * state does not allow snoozing.
   */
  snooze(params: SnoozeParams & { readonly untilAt: number }): Promise<boolean>
  /**
   * Makes a snoozed delivery pending again. A time to live that ended meanwhile no longer counts: the agent that snoozed
   * the message wants it back. False if it was not snoozed.
   */
  wake(params: SnoozeParams): Promise<boolean>
  /** Wakes the deliveries that are due, at most `limit`, and returns their agents, each once. Skips locked ones. */
  due(params: {
    readonly now: number
    readonly limit: number
    readonly agent?: string | undefined
  }): Promise<readonly string[]>
  /** Whether any delivery is due. Locks nothing. */
  hasDue(params: { readonly now: number; readonly agent?: string | undefined }): Promise<boolean>
  /**
   * Agents whose history says that they were shown a message, even if it was snoozed or became pending again since. What
   * only a present offer knows is not in it. All the message's deliveries are locked until the transaction ends.
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
