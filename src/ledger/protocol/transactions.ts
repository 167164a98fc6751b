import { AccountId, Duration, Key, SignatureMap, TextValue, Timestamp, TopicId, TransactionId } from './basics.ts'
import {
  bool,
  bytes,
  choice,
  int32,
  int64,
  many,
  message,
  one,
  type Read,
  text,
  uint64,
  type Written,
} from './message.ts'

export const CreateTopicBody = message({
  memo: text(1),
  adminKey: one(2, Key),
  submitKey: one(3, Key),
  autoRenewPeriod: one(6, Duration),
  autoRenewAccount: one(7, AccountId),
  /** What others must pay to write there (HIP-991); only looked for. */
  customFees: choice(10),
})

/** An empty list of keys takes a key away. */
export const UpdateTopicBody = message({
  topic: one(1, TopicId),
  memo: one(2, TextValue),
  expirationTime: one(4, Timestamp),
  adminKey: one(6, Key),
  submitKey: one(7, Key),
  autoRenewPeriod: one(8, Duration),
  autoRenewAccount: one(9, AccountId),
  customFees: choice(12),
})

export const DeleteTopicBody = message({ topic: one(1, TopicId) })

export const ChunkInfo = message({ initialTransaction: one(1, TransactionId), total: int32(2), number: int32(3) })
export type ChunkInfo = Read<typeof ChunkInfo>

export const SubmitMessageBody = message({ topic: one(1, TopicId), message: bytes(2), chunk: one(3, ChunkInfo) })

export const CreateAccountBody = message({
  key: one(1, Key),
  initialBalance: uint64(2),
  isReceiverSigned: bool(8),
  autoRenewPeriod: one(9, Duration),
  memo: text(13),
  alias: choice(18),
})

export const UpdateAccountBody = message({
  account: one(2, AccountId),
  key: one(3, Key),
  autoRenewPeriod: one(8, Duration),
  expirationTime: one(9, Timestamp),
  memo: one(14, TextValue),
})

/** The most that an account gives to the owner of a topic for one message (HIP-991): each fee is an amount of tinybars. */
export const CustomFeeLimit = message({ account: one(1, AccountId), fees: many(2, message({ amount: uint64(1) })) })

/** What is signed. Of the bodies exactly one is there. */
export const TransactionBody = message({
  id: one(1, TransactionId),
  node: one(2, AccountId),
  /** The most that its payer gives, in tinybars. */
  maxFee: uint64(3),
  validDuration: one(4, Duration),
  memo: text(6),
  createAccount: one(11, CreateAccountBody),
  updateAccount: one(15, UpdateAccountBody),
  createTopic: one(24, CreateTopicBody),
  updateTopic: one(25, UpdateTopicBody),
  deleteTopic: one(26, DeleteTopicBody),
  submitMessage: one(27, SubmitMessageBody),
  /** Where there is none, its payer gives whatever is asked for. */
  customFeeLimits: many(1001, CustomFeeLimit),
})
export type TransactionBody = Read<typeof TransactionBody>
export type WrittenBody = Written<typeof TransactionBody>

export const SignedTransaction = message({ body: bytes(1), signatures: one(2, SignatureMap) })

/** The fields 3 and 4 are how older clients write what now lies in `signed`. */
export const Transaction = message({ signatures: one(3, SignatureMap), body: bytes(4), signed: bytes(5) })

export const TransactionResponse = message({ precheck: int32(1), cost: uint64(2) })

export const Receipt = message({
  status: int32(1),
  account: one(2, AccountId),
  topic: one(6, TopicId),
  sequence: int64(7),
  runningHash: bytes(8),
  runningHashVersion: int64(9),
})
export type Receipt = Read<typeof Receipt>

export const TransactionRecord = message({
  receipt: one(1, Receipt),
  hash: bytes(2),
  consensusAt: one(3, Timestamp),
  id: one(4, TransactionId),
  memo: text(5),
  fee: uint64(6),
})
