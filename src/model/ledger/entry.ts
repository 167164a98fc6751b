/** One message on a topic, as the ledger has it. A long one is several of these, each with a place of its own. */
export interface LedgerEntry {
  readonly topicId: string
  /** From 1, without a gap. */
  readonly sequence: number
  /** `seconds.nanoseconds`, nine digits behind the point; later than that of every entry before it. */
  readonly consensusAt: string
  /** The account that paid for it: the only thing about a sender that the ledger vouches for. */
  readonly payer: string
  /** The bytes in base64. */
  readonly message: string
  readonly chunk: EntryChunk | null
  /** SHA-384 over the entry and the running hash of the one before it, in hex. */
  readonly runningHash: string
}

export interface EntryChunk {
  /** The transaction of the first chunk: `0.0.2@1713898880.739044003`. All chunks of a message share it. */
  readonly transaction: string
  /** From 1 to `total`. */
  readonly number: number
  readonly total: number
}

/** Bytes of one entry, and how many entries one message may take. */
export const ENTRY_BYTES = 1024
export const MAX_CHUNKS = 20
/** An HCS-10 message that is longer is published as an HCS-1 file, as the reference does. */
export const INLINE_BYTES = 1000

/** How many entries a message of so many bytes takes. */
export function chunkCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / ENTRY_BYTES))
}

const CONSENSUS_TIME = /^(0|[1-9][0-9]{0,11})\.([0-9]{9})$/

export function isConsensusTime(value: unknown): value is string {
  return typeof value === 'string' && CONSENSUS_TIME.test(value)
}

export function consensusMs(consensusAt: string): number {
  const [seconds = '0', nanos = '0'] = consensusAt.split('.')
  return Number(seconds) * 1000 + Math.floor(Number(nanos) / 1e6)
}
