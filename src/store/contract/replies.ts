/** Answers that were given to requests with an `Idempotency-Key`. */
export interface ReplyShelf {
  /**
   * Takes a key for a request. Undefined: it is the caller's to answer. Otherwise what was answered, or that it is being
   * answered. One that was begun before `abandonedBefore` and never answered is taken over.
   */
  claim(params: ClaimReply): Promise<ClaimedReply | undefined>
  /** Keeps the answer. */
  keep(params: ReplyKey & { readonly status: number; readonly body: string }): Promise<void>
  /** Gives a key back: the request came to nothing. */
  drop(params: ReplyKey): Promise<void>
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
  /** Null while it is being answered. */
  readonly status: number | null
  readonly body: string | null
}
