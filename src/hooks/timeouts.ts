/** How long the steps of an answer may take, in milliseconds. */
export interface HookTimeouts {
  /**
   * From the start of the process until the answer is out. It is far below the timeout of any host: a host throws a late
   * answer away, together with the messages in it.
   */
  readonly answerMs: number
  /** How long to wait for a busy store. It leaves time to answer without the store. */
  readonly storeMs: number
  /** How long the commands of all gates together may take. */
  readonly checksMs: number
  /** Reserved for everything that comes after a command. */
  readonly reserveMs: number
}

/** How long a host waits for a hook, as its settings say that we write. */
export const HOST_TIMEOUT_S = 10

export const HOOK_TIMEOUTS: HookTimeouts = { answerMs: 1_500, storeMs: 700, checksMs: 900, reserveMs: 300 }
