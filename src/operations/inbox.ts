import { z } from 'zod'
import { RECEIPT_STAGES } from '../model/receipt.ts'
import { AGENT_ID_ERRORS, POST_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import {
  agentId,
  attachment,
  deliveryState,
  inboxMessage,
  json,
  message,
  messageId,
  milliseconds,
  offer,
  priority,
  pushResult,
  shownMessage,
  trace,
  traceContext,
} from './schemas.ts'

const pushInput = z.object({
  to: z.array(z.string()).optional(),
  content: z.string(),
  type: z.string().optional(),
  subject: z.string().optional(),
  payload: json.optional(),
  context: json.optional(),
  priority: priority.optional(),
  ref: z.string().optional(),
  replyTo: messageId.optional(),
  dedupKey: z.string().optional(),
  ttlMs: milliseconds.optional(),
  attachments: z.array(attachment).optional(),
  trace: traceContext.optional(),
  create: z.boolean().optional(),
})

const PUSH_ERRORS = [
  'RECIPIENT_MISSING',
  'AGENT_NOT_FOUND',
  ...AGENT_ID_ERRORS,
  'AGENT_CONFUSABLE',
  'AGENT_REMOVED',
  'ADDRESS_UNSUPPORTED',
  'CONTENT_EMPTY',
  ...TEXT_ERRORS,
  'PRIORITY_INVALID',
  'TYPE_INVALID',
  'DURATION_INVALID',
  'VALUE_INVALID',
  'DEDUP_CONFLICT',
  'INBOX_FULL',
  'MESSAGE_NOT_FOUND',
  'NOT_ALLOWED',
  ...POST_ERRORS,
] as const

const offerRef = z.object({ offerId: z.string() })

const MOVE_ERRORS = [...AGENT_ID_ERRORS, 'MESSAGE_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'DELIVERY_STATE'] as const

const picked = z.object({ agent: agentId, ids: z.array(messageId) })
const pickResult = z.array(z.object({ id: messageId, state: deliveryState }))
const PICK_ERRORS = [...MOVE_ERRORS, 'AGENT_NOT_FOUND', 'VALUE_INVALID'] as const

const deliveryRef = z.object({ id: messageId, agent: agentId.optional() })

const ofAgent = z.object({ agent: agentId.optional() })

export const INBOX_OPERATIONS = {
  'inbox.push': {
    summary: 'Store a message for an agent, several, or everybody.',
    input: pushInput,
    output: pushResult,
    errors: PUSH_ERRORS,
  },
  'inbox.pushMany': {
    summary: 'Store many messages at once: all or none.',
    input: z.object({ messages: z.array(pushInput) }),
    output: z.array(pushResult),
    errors: PUSH_ERRORS,
  },
  'inbox.ingest': {
    summary: "Store entries of a session's spool for its agent; what it has already is left as it is.",
    input: z.object({
      agent: agentId,
      sessionId: z.string().optional(),
      entries: z.array(
        z.object({
          content: z.string(),
          type: z.string().optional(),
          source: z.string().optional(),
          priority: priority.optional(),
          writtenAt: milliseconds.optional(),
          ttlMs: milliseconds.optional(),
          dedupKey: z.string().optional(),
          id: z.string().optional(),
          place: z.string().optional(),
          shown: z.object({ at: milliseconds, evidence: z.string() }).optional(),
        }),
      ),
    }),
    output: z.array(
      z.object({
        outcome: z.enum(['stored', 'known', 'refused', 'full']),
        id: messageId.optional(),
        state: deliveryState.optional(),
        reason: z.string().optional(),
      }),
    ),
    errors: [...AGENT_ID_ERRORS, 'AGENT_NOT_FOUND', 'SESSION_INVALID', 'SESSION_CONFLICT', 'VALUE_INVALID'],
  },
  'inbox.list': {
    summary: 'List messages without taking them.',
    input: z.object({
      agent: agentId.optional(),
      which: z.enum(['pending', 'delivered', 'done', 'open', 'snoozed', 'all']).optional(),
      order: z.enum(['oldest', 'newest']).optional(),
      limit: z.number().int().optional(),
      after: z.string().optional(),
    }),
    output: z.object({ items: z.array(inboxMessage), next: z.string().nullable() }),
    errors: [...AGENT_ID_ERRORS, 'AGENT_NOT_FOUND', 'VALUE_INVALID'],
  },
  'inbox.show': {
    summary: 'Show one message whole, with its thread.',
    input: z.object({ id: messageId }),
    output: z.object({ message, thread: z.array(message) }),
    errors: ['MESSAGE_NOT_FOUND'],
  },
  'inbox.drain': {
    summary: 'Offer what waits for an agent; nobody else is offered the same.',
    input: z.object({
      agent: agentId,
      sessionId: z.string().optional(),
      via: z.string().optional(),
      maxMessages: z.number().int().optional(),
      maxCharacters: z.number().int().optional(),
      maxTokens: z.number().int().optional(),
      maxPriority: priority.optional(),
      boundsCritical: z.boolean().optional(),
    }),
    output: z.object({ offer: offer.nullable(), messages: z.array(shownMessage), remaining: z.number().int() }),
    errors: [
      ...AGENT_ID_ERRORS,
      ...TEXT_ERRORS,
      'AGENT_NOT_FOUND',
      'SESSION_INVALID',
      'SESSION_CONFLICT',
      'PRIORITY_INVALID',
      'RATE_LIMITED',
      'VALUE_INVALID',
    ],
  },
  'inbox.printed': {
    summary: "Note that an offer's text was written out whole, or that somebody still works on it.",
    input: offerRef.extend({ leaseMs: milliseconds.optional() }),
    output: offer,
    errors: ['OFFER_NOT_FOUND', 'VALUE_INVALID'],
  },
  'inbox.confirm': {
    summary: 'Say that an offer was consumed: its messages are seen.',
    input: offerRef.extend({ evidence: z.string(), printed: z.boolean().optional() }),
    output: offer,
    errors: ['OFFER_NOT_FOUND', 'OFFER_UNPRINTED', ...TEXT_ERRORS],
  },
  'inbox.release': {
    summary: 'Give an offer back: its messages are pending again.',
    input: offerRef.extend({ reason: z.string() }),
    output: offer,
    errors: ['OFFER_NOT_FOUND', ...TEXT_ERRORS],
  },
  'inbox.confirmSession': {
    summary: 'Confirm what a session was offered and printed before a moment.',
    input: z.object({ sessionId: z.string(), printedBefore: milliseconds, evidence: z.string() }),
    output: z.number().int(),
    errors: ['SESSION_INVALID', 'VALUE_INVALID', ...TEXT_ERRORS],
  },
  'inbox.ack': {
    summary: 'Say that messages have been dealt with.',
    input: z.object({ agent: agentId, ids: z.array(messageId) }),
    output: z.array(z.object({ id: messageId, state: deliveryState })),
    errors: MOVE_ERRORS,
  },
  'inbox.read': {
    summary: 'Say that somebody reads these very messages: what is pending of them is seen.',
    input: picked,
    output: pickResult,
    errors: PICK_ERRORS,
  },
  'inbox.snooze': {
    summary: 'Put messages off until a time, or take them up again.',
    input: picked.extend({
      untilAt: milliseconds.nullable().describe('When they are pending again; null for at once.'),
    }),
    output: pickResult,
    errors: PICK_ERRORS,
  },
  'inbox.wait': {
    summary: 'Sleep until something waits for an agent.',
    input: z.object({
      agent: agentId,
      maxPriority: priority.optional(),
      fromOthers: z.boolean().optional(),
      timeoutMs: milliseconds.optional(),
    }),
    output: z.object({ pending: z.number().int() }),
    errors: [...AGENT_ID_ERRORS, 'AGENT_NOT_FOUND', 'PRIORITY_INVALID', 'VALUE_INVALID'],
  },
  'inbox.waitFor': {
    summary: 'Wait until every recipient has a message stored, offered, seen or acted.',
    input: z.object({ id: messageId, stage: z.enum(RECEIPT_STAGES), timeoutMs: milliseconds }),
    output: trace,
    errors: ['MESSAGE_NOT_FOUND', 'DELIVERY_STATE', 'VALUE_INVALID', 'TIMED_OUT'],
  },
  'inbox.cancel': {
    summary: 'Take a message back from whoever has not seen it yet.',
    input: deliveryRef,
    output: z.object({ cancelled: z.number().int() }),
    errors: [...MOVE_ERRORS, 'NOT_ALLOWED'],
  },
  'inbox.trace': {
    summary: 'Show every step of a message, and why it has not been seen yet.',
    input: z.object({ id: messageId }),
    output: trace,
    errors: ['MESSAGE_NOT_FOUND'],
  },
  'inbox.search': {
    summary: 'Find messages by words, phrases or beginnings.',
    input: z.object({ query: z.string(), agent: agentId.optional(), limit: z.number().int().optional() }),
    output: z.array(message),
    errors: [...AGENT_ID_ERRORS, ...TEXT_ERRORS, 'VALUE_INVALID', 'SEARCH_NOT_READY'],
  },
  'inbox.held': {
    summary: 'List messages that are held because programs wrote too often.',
    input: ofAgent,
    output: z.array(inboxMessage),
    errors: AGENT_ID_ERRORS,
  },
  'inbox.releaseHeld': {
    summary: 'Let a held message go on.',
    input: deliveryRef,
    output: z.object({ released: z.number().int() }),
    errors: [...MOVE_ERRORS, 'AGENT_REMOVED'],
  },
  'inbox.dead': {
    summary: 'List messages that were offered too often without being confirmed.',
    input: ofAgent,
    output: z.array(inboxMessage),
    errors: AGENT_ID_ERRORS,
  },
  'inbox.retryDead': {
    summary: 'Make a dead message pending again.',
    input: deliveryRef,
    output: z.object({ retried: z.number().int() }),
    errors: [...MOVE_ERRORS, 'AGENT_REMOVED'],
  },
} satisfies DeclarationsOf<'inbox'>
