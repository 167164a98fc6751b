/** Everything is bounded. A configuration may change the numbers, never remove a bound. */
export interface Limits {
  /** Bytes of a message's content, UTF-8. */
  readonly contentBytes: number
  /** Bytes of payload, context and attachments together, as JSON. */
  readonly payloadBytes: number
  readonly subjectBytes: number
  readonly pendingPerAgent: number
  /** Open sessions of one agent. A further one ends the session with the least recent event. */
  readonly sessionsPerAgent: number
  readonly recipientsPerPush: number
  readonly pushesPerBatch: number
  /** How often a thread of automatic replies may go back and forth. */
  readonly hops: number
  /** Messages that one program may send each recipient at once, and how many more become allowed each minute. */
  readonly pairBurst: number
  readonly pairPerMinute: number
  /** Messages of agents in one thread until a person must look. */
  readonly threadMessages: number
  /** How long an offer lasts before, and after, its text was printed. */
  readonly unprintedOfferMs: number
  readonly printedOfferMs: number
  /** Offers of one delivery before it is put aside as dead. */
  readonly attempts: number
  readonly ttlMs: number
  readonly retentionMs: number
  /** Answers to keyed requests of one caller that are kept at once. */
  readonly repliesPerCaller: number
  /** Bytes of those answers together. */
  readonly replyBytesPerCaller: number
  /** Spaces that one program has made and that are not closed. */
  readonly spacesPerProgram: number
  /** Gates and questions that one program may create at once, and how many more become allowed each minute. */
  readonly gateBurst: number
  readonly gatesPerMinute: number
  /**
   * Spaces that one program may create at once, and how many more become allowed each minute. New buses, posts with
   * attachments that are stored, and sessions that a token begins are each counted in the same way.
   */
  readonly creationBurst: number
  readonly creationsPerMinute: number
  /** A drain's budget. */
  readonly drainMessages: number
  readonly drainCharacters: number
}

const KIB = 1024
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 24 * 60 * MINUTE_MS

export const DEFAULT_LIMITS: Limits = {
  contentBytes: 64 * KIB,
  payloadBytes: 64 * KIB,
  subjectBytes: 1 * KIB,
  pendingPerAgent: 10_000,
  sessionsPerAgent: 100,
  recipientsPerPush: 1_000,
  pushesPerBatch: 10_000,
  hops: 8,
  pairBurst: 30,
  pairPerMinute: 10,
  threadMessages: 30,
  unprintedOfferMs: 30 * SECOND_MS,
  printedOfferMs: 30 * MINUTE_MS,
  attempts: 10,
  ttlMs: 366 * DAY_MS,
  retentionMs: 30 * DAY_MS,
  repliesPerCaller: 5_000,
  replyBytesPerCaller: 64 * KIB * KIB,
  spacesPerProgram: 100,
  gateBurst: 200,
  gatesPerMinute: 10,
  creationBurst: 200,
  creationsPerMinute: 10,
  drainMessages: 20,
  drainCharacters: 8_000,
}
