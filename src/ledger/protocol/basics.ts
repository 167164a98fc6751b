import { bool, bytes, choice, int32, int64, type MessageType, many, message, one, type Read, text } from './message.ts'

/** The nouns of Hedera's protocol (HAPI) that others are made of. */

export const AccountId = message({ shard: int64(1), realm: int64(2), number: int64(3), alias: choice(4) })
export type AccountId = Read<typeof AccountId>

export const TopicId = message({ shard: int64(1), realm: int64(2), number: int64(3) })
export type TopicId = Read<typeof TopicId>

export const Timestamp = message({ seconds: int64(1), nanos: int32(2) })
export type Timestamp = Read<typeof Timestamp>

export const Duration = message({ seconds: int64(1) })

export const TransactionId = message({
  validStart: one(1, Timestamp),
  account: one(2, AccountId),
  isScheduled: bool(3),
  nonce: int32(4),
})
export type TransactionId = Read<typeof TransactionId>

/** Who must sign: one of the fields. Lists want all of their keys, thresholds some. */
export interface Key {
  readonly ed25519: Uint8Array | undefined
  readonly thresholdKey: ThresholdKey | undefined
  readonly keyList: KeyList | undefined
  /** ECDSA over secp256k1: 33 bytes. */
  readonly secp256k1: Uint8Array | undefined
}

export interface ThresholdKey {
  readonly threshold: number
  readonly keys: KeyList | undefined
}

export interface KeyList {
  readonly keys: readonly Key[]
}

export type WrittenKey = Partial<Key>

export const KeyList: MessageType<KeyList, Partial<KeyList>> = message({ keys: many<Key, WrittenKey>(1, () => Key) })

export const ThresholdKey: MessageType<ThresholdKey, Partial<ThresholdKey>> = message({
  threshold: int32(1),
  keys: one(2, KeyList),
})

export const Key: MessageType<Key, WrittenKey> = message({
  ed25519: choice(2),
  thresholdKey: one(5, ThresholdKey),
  keyList: one(6, KeyList),
  secp256k1: choice(7),
})

export const SignaturePair = message({ keyPrefix: bytes(1), ed25519: choice(3), secp256k1: choice(6) })

export const SignatureMap = message({ pairs: many(1, SignaturePair) })
export type SignatureMap = Read<typeof SignatureMap>

/** A text that can also be absent. */
export const TextValue = message({ value: text(1) })
