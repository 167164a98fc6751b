/** What a full check of a store has found. */
export interface Verified {
  /** How many messages were read. */
  readonly messages: number
  /** What is damaged, in words; empty if everything is sound. */
  readonly faults: readonly string[]
}

/** The last full check, as the store remembers it. */
export interface LastVerified {
  readonly at: number
  readonly messages: number
  /** How many faults it found. */
  readonly faults: number
}
