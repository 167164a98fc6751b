import { sha384 } from './crypto.ts'

/** What a running hash is made of, but for the one before it. */
export interface HashedEntry {
  readonly topicId: string
  readonly payer: string
  readonly consensusAt: string
  readonly sequence: number
  /** In base64. */
  readonly message: string
}

/**
 * The running hash of an entry on a topic of the Hedera Consensus Service, version 3, from that of the one before it;
 * both in hex. Its nodes hash what Java's ObjectOutputStream makes of the values, not the values one after the other.
 */
export function runningHash(previous: string, entry: HashedEntry): string {
  const point = entry.consensusAt.indexOf('.')
  FRAME.write(previous, PREVIOUS_AT, HASH_BYTES, 'hex')
  writeId(entry.payer, PAYER_AT)
  writeId(entry.topicId, TOPIC_AT)
  writeLong(Number(entry.consensusAt.slice(0, point)), SECONDS_AT)
  FRAME.writeUInt32BE(Number(entry.consensusAt.slice(point + 1)), NANOS_AT)
  writeLong(entry.sequence, SEQUENCE_AT)
  FRAME.write(hashMessage(entry.message), MESSAGE_AT, HASH_BYTES, 'hex')
  return sha384(FRAME)
}

/** For whoever hashes elsewhere: the parts of the frame between which the previous hash and the place of an entry stand. */
export function framePartsOf({ payer, topicId, message }: Pick<HashedEntry, 'payer' | 'topicId' | 'message'>) {
  writeId(payer, PAYER_AT)
  writeId(topicId, TOPIC_AT)
  return {
    head: FRAME.toString('hex', 0, PREVIOUS_AT),
    middle: FRAME.toString('hex', NUMBERS_AT, SECONDS_AT),
    tail: FRAME.toString('hex', ARRAY_AT, MESSAGE_AT) + hashMessage(message),
  }
}

/** The stream's beginning, and an array of bytes with the description of its class. */
const HEAD = Buffer.from('aced0005757200025b42acf317f8060854e0020000787000000030', 'hex')
/** A block of 76 bytes: the numbers. */
const NUMBERS = Buffer.from('774c0000000000000003', 'hex')
/** Another array of bytes, of the class that was described before. */
const ARRAY = Buffer.from('7571007e000000000030', 'hex')

const HASH_BYTES = 48
const ID_BYTES = 24
const PREVIOUS_AT = HEAD.length
const NUMBERS_AT = PREVIOUS_AT + HASH_BYTES
const PAYER_AT = NUMBERS_AT + NUMBERS.length
const TOPIC_AT = PAYER_AT + ID_BYTES
const SECONDS_AT = TOPIC_AT + ID_BYTES
const NANOS_AT = SECONDS_AT + 8
const SEQUENCE_AT = NANOS_AT + 4
const ARRAY_AT = SEQUENCE_AT + 8
const MESSAGE_AT = ARRAY_AT + ARRAY.length

/** Filled in anew for every hash, for a walk makes millions of them. */
const FRAME = Buffer.alloc(MESSAGE_AT + HASH_BYTES)
HEAD.copy(FRAME)
NUMBERS.copy(FRAME, NUMBERS_AT)
ARRAY.copy(FRAME, ARRAY_AT)

const SCRATCH = Buffer.alloc(8_192)

function decode(message: string): Uint8Array {
  return SCRATCH.subarray(0, SCRATCH.write(message, 'base64'))
}

function hashMessage(message: string): string {
  const bytes = message.length > SCRATCH.length ? Buffer.from(message, 'base64') : decode(message)
  return sha384(bytes)
}

/** `shard.realm.number` as three longs. */
function writeId(id: string, at: number): void {
  const first = id.indexOf('.')
  const second = id.indexOf('.', first + 1)
  writeLong(Number(id.slice(0, first)), at)
  writeLong(Number(id.slice(first + 1, second)), at + 8)
  writeLong(Number(id.slice(second + 1)), at + 16)
}

function writeLong(value: number, at: number): void {
  FRAME.writeUInt32BE(Math.floor(value / WORD), at)
  FRAME.writeUInt32BE(value % WORD, at + 4)
}

const WORD = 2 ** 32
