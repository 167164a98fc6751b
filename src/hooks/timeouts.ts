/** How long the steps of an answer may take, in milliseconds. */
export interface HookTimeouts {
  /**
   * From the start of the process until the answer is out. It is far below the timeout of any host, which throws a late
   * answer away together with what it shows.
   */
  readonly answerMs: number
  /** A busy store is waited for this long, so that there is still time to answer without it. */
  readonly storeMs: number
  /** The commands of all gates share this. */
  readonly checksMs: number
  /** Kept for everything that comes after a command. */
  readonly reserveMs: number
}

export const HOOK_TIMEOUTS: HookTimeouts = { answerMs: 1_500, storeMs: 700, checksMs: 900, reserveMs: 300 }
