/**
 * Answers to requests with an `Idempotency-Key`. A request claims its key, runs, and keeps its answer; a repetition of
 * the request gets that answer. Of several that claim a key at once, exactly one runs.
 */
export interface ReplyShelf {
  /**
   * Claims a key for a request. Undefined means that the caller has it and runs the request. Otherwise it returns the
   * answer, or that the request is still running. The caller compares fingerprints: another one is a conflict. A claim
   * from before `abandonedBefore` that was never answered passes to the next claim with the same fingerprint.
   */
  claim(params: ClaimReply): Promise<ClaimedReply | undefined>
  /** Stores the answer. Repeatable; does nothing if the key was given back. */
  keep(params: ReplyKey & { readonly status: number; readonly body: string }): Promise<void>
  /** Gives a key back because the request changed nothing. A key with an answer keeps it. */
  drop(params: ReplyKey): Promise<void>
  /** Removes claims and answers that began before a time, oldest first, at most `limit`, and returns how many. */
  reap(params: { readonly begunBefore: number; readonly limit: number }): Promise<number>
}

export interface ReplyKey {
  readonly caller: string
  readonly key: string
}

export interface ClaimReply extends ReplyKey {
  readonly fingerprint: string
  readonly at: number
  readonly abandonedBefore: number
}

export interface ClaimedReply {
  readonly fingerprint: string
  /** Null while the request is running. */
  readonly status: number | null
  readonly body: string | null
}
