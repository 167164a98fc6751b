import { z } from 'zod'
import type { DeclarationsOf } from '../operation.ts'
import { agentId } from '../schemas.ts'
import { DELIVERY_ERRORS, LEDGER_USE_ERRORS, PUBLISH_ERRORS, TOPIC_ERRORS } from './errors.ts'
import { posted } from './posted.ts'
import { entityType, label, ledgerId, limit, seedPriority, sequence } from './schemas.ts'

const entity_id = z.string().describe('A topic, such as 0.0.1005, or the name of the work item.')

export const NOTE_OPERATIONS = {
  'notes.post': {
    summary: 'Post a note to a task, phase, stage or project, and tell those whom it names.',
    input: z.object({
      entity_id,
      entity_type: entityType,
      note: z.string().describe('Markdown.'),
      notify: z.array(agentId).optional().describe('Agents whose inbox is told of it.'),
      priority: seedPriority.optional(),
    }),
    output: posted,
    errors: [...DELIVERY_ERRORS, ...PUBLISH_ERRORS, ...TOPIC_ERRORS],
  },
  'notes.list': {
    summary: 'List the notes of a work item, oldest first.',
    input: z.object({
      entity_id,
      entity_type: entityType,
      after: sequence.optional().describe('Behind this sequence number.'),
      limit,
    }),
    output: z.object({
      ledger: label,
      topic_id: ledgerId.nullable().describe('Null where it has no topic yet.'),
      notes: z.array(
        z.object({
          sequence,
          consensus_at: z.string().describe('seconds.nanoseconds'),
          type: z.string(),
          from_agent: z.string().describe('As the note says; it is so only where verified.'),
          verified: z.boolean(),
          payer: ledgerId,
          note: z.string(),
          notify: z.array(z.string()),
        }),
      ),
      next: sequence.nullable().describe('Pass it as after to go on.'),
    }),
    errors: [...LEDGER_USE_ERRORS, ...TOPIC_ERRORS, 'VALUE_INVALID'],
  },
} satisfies DeclarationsOf<'notes'>
