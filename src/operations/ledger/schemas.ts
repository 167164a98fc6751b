import { z } from 'zod'
import { PUBLISH_MODES } from '../../model/ledger/ledgers.ts'
import { TOPIC_ROLES } from '../../model/ledger/topic.ts'
import { ENTITY_TYPES, REF_TYPES } from '../../model/ledger/work-item.ts'
import { milliseconds } from '../schemas.ts'

/** The nouns of the ledger, in the words of seed 003 where they are its own. */

export const label = z
  .object({
    kind: z.enum(['local', 'hedera']),
    network: z.string(),
    public_consensus: z.boolean().describe('False: only this deployment vouches for it.'),
  })
  .describe('Which ledger it is.')

export const ledgerId = z.string().describe('shard.realm.number, such as 0.0.1005.')
export const seedPriority = z.number().int().min(1).max(5).describe('1 urgent, 2 high, 3 normal, 4 low, 5 fyi.')
export const entityType = z.enum(ENTITY_TYPES)
export const refType = z.enum(REF_TYPES)
export const publishMode = z.enum(PUBLISH_MODES)
export const sequence = z.number().int().min(0)
export const sequenceOnItsWay = sequence.nullable().describe('Null while it is on its way.')
export const parcelOnItsWay = z.string().nullable().describe('What is on its way to the ledger.')
export const limit = z.number().int().optional()

export const topic = z.object({
  id: ledgerId,
  network: z.string(),
  role: z.enum(TOPIC_ROLES),
  agent: z.string().nullable(),
  entity: z.string().nullable().describe('The work item whose topic it is, such as task:PROJ-12.'),
  memo: z.string(),
  adminKey: z.string().nullable(),
  submitKey: z.string().nullable().describe('Who may write to it; null: anybody.'),
  sequence: sequence.describe('Of the last entry that is held here.'),
  runningHash: z.string().describe('Of that entry, in hex.'),
  consensusAt: z.string().nullable().describe('Of that entry, as seconds.nanoseconds.'),
  takenIn: sequence,
  trouble: z.string().nullable().describe('Why nothing more is taken from it; null while it goes on.'),
  createdAt: milliseconds,
  deletedAt: milliseconds.nullable(),
})

export const entry = z.object({
  topicId: ledgerId,
  sequence,
  consensusAt: z.string().describe('seconds.nanoseconds'),
  payer: ledgerId,
  message: z.string().describe('The bytes in base64.'),
  chunk: z.object({ transaction: z.string(), number: z.number().int(), total: z.number().int() }).nullable(),
  runningHash: z.string(),
})

export const identity = z.object({
  network: z.string(),
  agent: z.string(),
  account: ledgerId,
  inboundTopicId: ledgerId,
  outboundTopicId: ledgerId,
  capabilities: z.array(z.number().int()).describe('Codes of HCS-11, from 0 to 18.'),
  model: z.string().nullable(),
  bio: z.string().nullable(),
  profileTopicId: ledgerId.nullable(),
  uaid: z.string().nullable(),
  updatedAt: milliseconds,
})
