import { AccountId, Timestamp, TopicId } from './basics.ts'
import { bytes, int32, int64, many, message, one, type Read, text, uint64 } from './message.ts'
import { ChunkInfo } from './transactions.ts'

/** What a mirror is asked for: messages from a time on, or those that come from now on. */
export const TopicQuery = message({
  topic: one(1, TopicId),
  startTime: one(2, Timestamp),
  endTime: one(3, Timestamp),
  /** 0: as many as there are. */
  limit: uint64(4),
})
export type TopicQuery = Read<typeof TopicQuery>

export const TopicResponse = message({
  consensusAt: one(1, Timestamp),
  message: bytes(2),
  runningHash: bytes(3),
  sequence: int64(4),
  runningHashVersion: int64(5),
  chunk: one(6, ChunkInfo),
})

export const FileId = message({ shard: int64(1), realm: int64(2), number: int64(3) })
export const AddressBookQuery = message({ file: one(1, FileId), limit: int32(2) })

export const ServiceEndpoint = message({ ipv4: bytes(1), port: int32(2), domain: text(3) })
export const NodeAddress = message({
  rsaPublicKey: text(4),
  nodeId: int64(5),
  account: one(6, AccountId),
  certificateHash: bytes(7),
  endpoints: many(8, ServiceEndpoint),
  description: text(9),
})
