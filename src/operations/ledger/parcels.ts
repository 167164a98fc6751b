import { z } from 'zod'
import { PARCEL_MOVES, PARCEL_PURPOSES, type ParcelState } from '../../model/ledger/parcel.ts'
import type { DeclarationsOf } from '../operation.ts'
import { message, milliseconds } from '../schemas.ts'
import { LEDGER_USE_ERRORS } from './errors.ts'
import { ledgerId, sequenceOnItsWay } from './schemas.ts'

const STATES = Object.keys(PARCEL_MOVES) as [ParcelState, ...ParcelState[]]

const parcelId = z.string().min(1).max(64).describe('A parcel, by its id.')
const nullable = z.string().nullable()

const step = z.object({
  kind: z.enum(['topic', 'submission', 'memo']),
  name: z.string().optional(),
  memo: z.string(),
  adminKey: nullable.optional(),
  submitKey: nullable.optional(),
  role: z.string().optional(),
  agent: nullable.optional(),
  entity: nullable.optional(),
  topicId: z.string().optional().describe('A topic, or {name}: the one that an earlier step makes under that name.'),
  text: z.string().optional(),
  mayChunk: z.boolean().optional(),
  account: ledgerId.optional(),
})

const parcel = z.object({
  id: parcelId,
  network: z.string(),
  purpose: z.enum(PARCEL_PURPOSES),
  about: nullable.describe('The agent, the connection or the work item.'),
  lane: z.string(),
  payer: ledgerId,
  steps: z.array(step),
  price: z.number().describe('In billionths of a US dollar.'),
  message: message.nullable(),
  done: z.number().int().describe('How many steps the ledger has taken.'),
  made: z.record(z.string(), ledgerId),
  sequence: sequenceOnItsWay,
  transaction: nullable,
  attempts: z.number().int(),
  nextAt: milliseconds,
  state: z.enum(STATES),
  error: nullable,
  createdAt: milliseconds,
  doneAt: milliseconds.nullable(),
})

const parcelRef = z.object({ id: parcelId })
const MOVE_ERRORS = [...LEDGER_USE_ERRORS, 'NOT_ALLOWED', 'PARCEL_NOT_FOUND', 'PARCEL_STATE'] as const

export const PARCEL_OPERATIONS = {
  'ledger.parcels': {
    summary: 'List what is on its way to the ledger, or was refused.',
    input: z.object({ state: z.enum(STATES).optional().describe('Absent: waiting and refused.') }),
    output: z.array(parcel),
    errors: [...LEDGER_USE_ERRORS, 'NOT_ALLOWED', 'VALUE_INVALID'],
  },
  'ledger.retry': {
    summary: 'Try to publish once more what the ledger has refused, or what waits for its next try.',
    input: parcelRef,
    output: parcel,
    errors: MOVE_ERRORS,
  },
  'ledger.drop': {
    summary: 'Give up what was to be published. What the ledger has already stays there.',
    input: parcelRef,
    output: parcel,
    errors: MOVE_ERRORS,
  },
} satisfies Partial<DeclarationsOf<'ledger'>>
