import { type EntryChunk, isConsensusTime, type LedgerEntry, MAX_CHUNKS } from '../../model/ledger/entry.ts'
import { isLedgerId } from '../../model/ledger/topic.ts'
import { Key } from '../protocol/basics.ts'
import { ProtocolError } from '../protocol/bytes.ts'

/** What a mirror says over HTTP, in our words. Throws a ProtocolError where it makes no sense. */

type Words = Readonly<Record<string, unknown>>

/** The bytes of an entry and of a running hash; a topic may hold messages that are older than the limit of today. */
const MESSAGE_BYTES = 6 * 1024
const HASH_BYTES = 48

export function readEntries(page: Words, topicId: string): readonly LedgerEntry[] {
  const { messages } = page
  if (!Array.isArray(messages)) throw new ProtocolError('there is no list of messages')
  return messages.map((message) => readEntry(asWords(message, 'a message'), topicId))
}

function readEntry(words: Words, topicId: string): LedgerEntry {
  const { sequence_number: sequence, consensus_timestamp: consensusAt, payer_account_id: payer } = words
  if (words['topic_id'] !== topicId) throw new ProtocolError('a message is of another topic')
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 1) throw new ProtocolError('a message has no number')
  if (!isConsensusTime(consensusAt)) throw new ProtocolError('a message has no time')
  if (!isLedgerId(payer)) throw new ProtocolError('a message has no payer')
  const message = decodeBase64(words['message'], MESSAGE_BYTES)
  const runningHash = decodeBase64(words['running_hash'], HASH_BYTES)
  if (runningHash.length !== HASH_BYTES) throw new ProtocolError('a running hash has not 48 bytes')
  return {
    topicId,
    sequence: sequence as number,
    consensusAt,
    payer,
    message: message.toString('base64'),
    chunk: readChunk(words['chunk_info']),
    runningHash: runningHash.toString('hex'),
  }
}

/** A chunk that says nonsense of itself is an entry like any other: nobody can put it together. */
function readChunk(value: unknown): EntryChunk | null {
  if (value === null || value === undefined) return null
  const { initial_transaction_id: initial, number, total } = asWords(value, 'a chunk')
  if (typeof initial !== 'object' || initial === null) return null
  const { account_id: account, transaction_valid_start: start } = initial as Words
  if (!isLedgerId(account) || !isConsensusTime(start)) return null
  if (!isCount(total) || !isCount(number) || number > total) return null
  return { transaction: `${account}@${start}`, number, total }
}

/** More chunks than ours: others may allow themselves more. */
const MOST_CHUNKS = 50 * MAX_CHUNKS

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MOST_CHUNKS
}

/** As HAPI writes it; null where there is none. */
export function readKey(value: unknown): Uint8Array | null {
  if (value === null || value === undefined) return null
  const { _type: type, key } = asWords(value, 'a key')
  if (typeof key !== 'string' || !/^(?:[0-9a-f]{2})*$/i.test(key)) throw new ProtocolError('a key is not hex')
  const bytes = Buffer.from(key, 'hex')
  if (type === 'ED25519') return Key.encode({ ed25519: bytes })
  if (type === 'ECDSA_SECP256K1') return Key.encode({ secp256k1: bytes })
  return new Uint8Array(bytes)
}

/** Base64, which Node reads however broken it is. */
function decodeBase64(value: unknown, maxBytes: number): Buffer {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) {
    throw new ProtocolError('bytes are not in base64')
  }
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length > maxBytes) throw new ProtocolError('bytes are too many')
  return bytes
}

export function asWords(value: unknown, what: string): Words {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProtocolError(`${what} is no object`)
  return value as Words
}
