import { z } from 'zod'
import type { DeclarationsOf } from '../operation.ts'
import { json, messageId } from '../schemas.ts'
import { DELIVERY_ERRORS, LEDGER_USE_ERRORS, PUBLISH_ERRORS } from './errors.ts'
import { label, ledgerId, parcelOnItsWay, publishMode, refType, seedPriority, sequenceOnItsWay } from './schemas.ts'

const sendInput = z.object({
  to_agent: z.string().describe('An agent, or ALL: everybody but the sender, each with a message of its own.'),
  message_type: z.string().describe('feedback, fyi, review.request, task.note, …'),
  subject: z.string(),
  payload: json.optional().describe('Structured content.'),
  context: json.optional().describe('Whatever else is worth knowing.'),
  ref_id: z.string().optional().describe('What it is about: a topic, or any other name.'),
  ref_type: refType.optional(),
  priority: seedPriority.optional(),
  dedup_key: z.string().optional().describe('Sent again under the same key, it is the same message.'),
})

const sent = z.object({
  ledger: label,
  messages: z.array(
    z.object({
      message_id: messageId,
      to_agent: z.string(),
      duplicate: z.boolean(),
      in_inbox: z.boolean().describe('False: it comes when its entry does, or is held.'),
      held: z.boolean().describe('Agents were answering each other too often: a person lets it go.'),
      publish: publishMode,
      topic_id: ledgerId.nullable(),
      sequence: sequenceOnItsWay,
      parcel: parcelOnItsWay,
    }),
  ),
})

export const LEDGER_MESSAGE_OPERATIONS = {
  'messages.send': {
    summary: 'Send a message to another agent or a person: on the record of its topic, and into its inbox.',
    input: sendInput,
    output: sent,
    errors: [...DELIVERY_ERRORS, ...PUBLISH_ERRORS],
  },
  'messages.sendInbox': {
    summary: 'Send a message into an inbox only: nothing is published.',
    input: sendInput,
    output: sent,
    errors: [...DELIVERY_ERRORS, ...LEDGER_USE_ERRORS],
  },
} satisfies DeclarationsOf<'messages'>
