/**
 * Answers to requests with an `Idempotency-Key`. A request claims its key, runs, and keeps its answer; a repetition of
 * the request gets that answer. Of several that claim a key at once, exactly one runs.
 *
 *   claimed ─the change: record→ claimed, with an outcome ─keep→ answered
 *           ─drop→ gone    ─release→ gone, or released if it has an outcome ─claim→ claimed by the next request
 */
export interface ReplyShelf {
  /**
   * Claims a key for a request. The caller compares fingerprints: another one is a conflict. A claim that was released, or
   * that is from before `abandonedBefore` and was never answered, passes to the next claim with the same fingerprint,
   * together with the outcome that was recorded under it.
   */
  claim(params: ClaimReply): Promise<ClaimedReply>
  /** How many keys a caller has, claimed or answered, and how large their answers are; it looks at `upTo` keys at most. */
  usage(params: { readonly caller: string; readonly upTo: number }): Promise<ReplyUsage>
  /**
   * Records the outcome of a request's change, in the transaction that makes the change. False if the claim has passed to
   * another request meanwhile: then the transaction must not be committed.
   */
  record(params: ReplyClaim & { readonly outcome: string }): Promise<boolean>
  /** Stores the answer. Repeatable; does nothing if the claim is lost. */
  keep(params: ReplyClaim & { readonly status: number; readonly body: string }): Promise<void>
  /** Gives a key back because the request changed nothing. A key with an answer or an outcome keeps it. */
  drop(params: ReplyClaim): Promise<void>
  /** Gives a key back, and keeps a recorded outcome for the next request under the key. */
  release(params: ReplyClaim): Promise<void>
  /** Removes claims and answers that began before a time, oldest first, at most `limit`, and returns how many. */
  reap(params: { readonly begunBefore: number; readonly limit: number }): Promise<number>
}

export interface ReplyUsage {
  readonly count: number
  readonly bytes: number
}

export interface ReplyKey {
  readonly caller: string
  readonly key: string
}

/** A claim on a key. Its number rises each time that the key is claimed, also after the key was given back. */
export interface ReplyClaim extends ReplyKey {
  readonly taken: number
}

export interface ClaimReply extends ReplyKey {
  readonly fingerprint: string
  readonly at: number
  readonly abandonedBefore: number
}

export type ClaimedReply =
  | {
      readonly isMine: true
      readonly taken: number
      /** Null if the change of the request was not committed. */
      readonly outcome: string | null
    }
  | {
      readonly isMine: false
      readonly fingerprint: string
      /** Null while the request is running. */
      readonly status: number | null
      readonly body: string | null
    }
