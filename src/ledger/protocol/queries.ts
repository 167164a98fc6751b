import { AccountId, Duration, Key, Timestamp, TopicId, TransactionId } from './basics.ts'
import { bool, bytes, int32, int64, many, message, one, type Read, text, uint64 } from './message.ts'
import { Receipt, Transaction, TransactionRecord } from './transactions.ts'

/** What a client wants: the answer, or what the answer costs. */
export const ANSWER_ONLY = 0
export const COST_ANSWER = 2

export const QueryHeader = message({ payment: one(1, Transaction), responseType: int32(2) })
export const ResponseHeader = message({ precheck: int32(1), responseType: int32(2), cost: uint64(3) })

export const BalanceQuery = message({ header: one(1, QueryHeader), account: one(2, AccountId) })
export const ReceiptQuery = message({
  header: one(1, QueryHeader),
  transaction: one(2, TransactionId),
  withDuplicates: bool(3),
  withChildren: bool(4),
})
export const AccountInfoQuery = message({ header: one(1, QueryHeader), account: one(2, AccountId) })
export const RecordQuery = message({ header: one(1, QueryHeader), transaction: one(2, TransactionId) })
export const TopicInfoQuery = message({ header: one(1, QueryHeader), topic: one(2, TopicId) })

/** Exactly one is there. */
export const Query = message({
  balance: one(7, BalanceQuery),
  accountInfo: one(9, AccountInfoQuery),
  receipt: one(14, ReceiptQuery),
  record: one(15, RecordQuery),
  topicInfo: one(50, TopicInfoQuery),
})
export type Query = Read<typeof Query>

export const BalanceResponse = message({
  header: one(1, ResponseHeader),
  account: one(2, AccountId),
  balance: uint64(3),
})
export const ReceiptResponse = message({
  header: one(1, ResponseHeader),
  receipt: one(2, Receipt),
  duplicates: many(4, Receipt),
  children: many(5, Receipt),
})

export const RecordResponse = message({ header: one(1, ResponseHeader), record: one(3, TransactionRecord) })

export const AccountInfo = message({
  account: one(1, AccountId),
  contractAccountId: text(2),
  key: one(7, Key),
  balance: uint64(8),
  expirationTime: one(12, Timestamp),
  autoRenewPeriod: one(13, Duration),
  memo: text(16),
  ledgerId: bytes(20),
})
export const AccountInfoResponse = message({ header: one(1, ResponseHeader), info: one(2, AccountInfo) })

export const TopicInfo = message({
  memo: text(1),
  runningHash: bytes(2),
  sequence: int64(3),
  expirationTime: one(4, Timestamp),
  adminKey: one(5, Key),
  submitKey: one(6, Key),
  autoRenewPeriod: one(7, Duration),
  autoRenewAccount: one(8, AccountId),
  ledgerId: bytes(9),
})
export const TopicInfoResponse = message({
  header: one(1, ResponseHeader),
  topic: one(2, TopicId),
  info: one(5, TopicInfo),
})

export const Response = message({
  balance: one(7, BalanceResponse),
  accountInfo: one(9, AccountInfoResponse),
  receipt: one(14, ReceiptResponse),
  record: one(15, RecordResponse),
  topicInfo: one(150, TopicInfoResponse),
})
export type Response = Read<typeof Response>
