import { z } from 'zod'
import { CONNECTION_MOVES, type ConnectionState, type LedgerConnection } from '../../model/ledger/connection.ts'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from '../errors.ts'
import type { DeclarationsOf } from '../operation.ts'
import { agentId, milliseconds } from '../schemas.ts'
import { LEDGER_USE_ERRORS, PUBLISH_ERRORS } from './errors.ts'
import { label, ledgerId, parcelOnItsWay, sequenceOnItsWay } from './schemas.ts'

const STATES = Object.keys(CONNECTION_MOVES) as [ConnectionState, ...ConnectionState[]]

const connectionId = z.string().min(1).max(64).describe('A connection, by its id.')

const connection = z.object({
  id: connectionId,
  network: z.string(),
  agent: z.string().describe('Ours.'),
  isIncoming: z.boolean().describe('True where the outsider asked for it.'),
  peerAccount: ledgerId,
  peerInboundTopicId: ledgerId,
  peerOutboundTopicId: ledgerId.nullable(),
  requestTopicId: ledgerId,
  requestId: z.number().int().nullable(),
  topicId: ledgerId.nullable(),
  state: z.enum(STATES),
  reason: z.string().nullable(),
  createdAt: milliseconds,
  closedAt: milliseconds.nullable(),
}) satisfies z.ZodType<LedgerConnection>

const CONNECTION_ERRORS = [
  ...PUBLISH_ERRORS,
  'CONNECTION_NOT_FOUND',
  'CONNECTION_STATE',
  'LEDGER_ENTRY_INVALID',
  'LEDGER_TOPIC_NOT_FOUND',
  'NOT_ALLOWED',
] as const

const ending = z.object({ id: connectionId, reason: z.string().optional() })

export const CONNECTION_OPERATIONS = {
  'ledger.connections': {
    summary: 'List the connections between agents of this deployment and outsiders.',
    input: z.object({ agent: agentId.optional() }),
    output: z.array(connection),
    errors: [...AGENT_ID_ERRORS, ...LEDGER_USE_ERRORS],
  },
  'ledger.connect': {
    summary: 'Ask an outsider for a connection.',
    input: z.object({
      agent: agentId.optional().describe('For whom; absent: for yourself.'),
      inbound_topic_id: ledgerId.describe('The inbound topic of the outsider.'),
    }),
    output: connection,
    errors: [...CONNECTION_ERRORS, ...AGENT_ID_ERRORS, 'AGENT_NOT_FOUND', 'LEDGER_ID_INVALID', 'USAGE'],
  },
  'ledger.accept': {
    summary: 'Accept the request of an outsider: both may then write on a topic of their own.',
    input: z.object({ id: connectionId }),
    output: connection,
    errors: CONNECTION_ERRORS,
  },
  'ledger.reject': {
    summary: 'Refuse the request of an outsider.',
    input: ending,
    output: connection,
    errors: [...CONNECTION_ERRORS, ...TEXT_ERRORS],
  },
  'ledger.disconnect': {
    summary: 'Close a connection, and tell the outsider why.',
    input: ending,
    output: connection,
    errors: [...CONNECTION_ERRORS, ...TEXT_ERRORS],
  },
  'ledger.say': {
    summary: 'Write to the outsider on the other side of a connection.',
    input: z.object({ connection: connectionId, text: z.string() }),
    output: z.object({
      ledger: label,
      topic_id: ledgerId,
      sequence: sequenceOnItsWay,
      parcel: parcelOnItsWay,
    }),
    errors: [...CONNECTION_ERRORS, ...TEXT_ERRORS, 'CONTENT_EMPTY'],
  },
} satisfies Partial<DeclarationsOf<'ledger'>>
