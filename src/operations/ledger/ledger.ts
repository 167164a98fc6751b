import { z } from 'zod'
import { TOPIC_ROLES } from '../../model/ledger/topic.ts'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from '../errors.ts'
import type { DeclarationsOf } from '../operation.ts'
import { agentId, json } from '../schemas.ts'
import { DELIVERY_ERRORS, LEDGER_USE_ERRORS, PUBLISH_ERRORS, TOPIC_ERRORS } from './errors.ts'
import { posted } from './posted.ts'
import { entry, identity, label, ledgerId, limit, sequence, topic } from './schemas.ts'

const topicOrItem = z.string().describe('A topic, such as 0.0.1005, or the work item that it belongs to: task:PROJ-12.')

const profile = z.object({
  ledger: label,
  identity,
  profile: json.describe('As HCS-11 has it.'),
  agent_definition: json.describe('As seed 003 publishes it.'),
})

const mark = z
  .object({ sequence, runningHash: z.string() })
  .describe('Where a walk has come to; pass it as after to go on.')

export const LEDGER_OPERATIONS = {
  'ledger.status': {
    summary: 'Tell which ledger it is, who pays, what is on its way, and what was spent today.',
    input: z.object({}),
    output: z.object({
      ledger: label,
      operator: ledgerId,
      topics: z.number().int(),
      waiting: z.number().int(),
      refused: z.number().int(),
      spentToday: z.number().describe('In US dollars, of this day (UTC).'),
      budgetPerDay: z.number().nullable().describe('In US dollars; null: no bound.'),
    }),
    errors: LEDGER_USE_ERRORS,
  },
  'ledger.setup': {
    summary: 'Give agents their topics and publish their profiles, as far as they have none.',
    input: z.object({ agents: z.array(agentId).optional().describe('Absent: all that are registered.') }),
    output: z.object({
      ledger: label,
      agents: z.array(identity.extend({ isNew: z.boolean() })),
      waiting: z.array(z.string()).describe('Agents whose topics are still on their way to the ledger.'),
      price: z.number().describe('About what it costs, in US dollars.'),
    }),
    errors: [...AGENT_ID_ERRORS, ...PUBLISH_ERRORS, 'AGENT_NOT_FOUND', 'NOT_ALLOWED', 'PROFILE_INVALID'],
  },
  'ledger.topics': {
    summary: 'List the topics that are known here.',
    input: z.object({ role: z.enum(TOPIC_ROLES).optional(), agent: agentId.optional() }),
    output: z.array(topic),
    errors: [...AGENT_ID_ERRORS, ...LEDGER_USE_ERRORS, 'VALUE_INVALID'],
  },
  'ledger.createTopic': {
    summary: 'Make the topic of a task, phase, stage or project, if it has none.',
    input: z.object({ entity: z.string().describe('Such as task:PROJ-12.') }),
    output: z.object({
      ledger: label,
      entity: z.string(),
      topic: topic.nullable().describe('Null while it is on its way.'),
      isNew: z.boolean(),
    }),
    errors: [...PUBLISH_ERRORS, 'ENTITY_INVALID', 'NOT_ALLOWED'],
  },
  'ledger.read': {
    summary: 'Read the entries of a topic, oldest first.',
    input: z.object({
      topic: topicOrItem,
      after: sequence.optional().describe('Behind this sequence number.'),
      limit,
    }),
    output: z.object({
      ledger: label,
      topic,
      entries: z.array(
        entry.extend({
          text: z.string().nullable().describe('The entry, where it is UTF-8.'),
          body: z.string().nullable().describe('What the hash in it stands for, where only that was published.'),
        }),
      ),
      next: sequence.nullable().describe('Pass it as after to go on.'),
    }),
    errors: [...LEDGER_USE_ERRORS, ...TOPIC_ERRORS, 'NOT_ALLOWED', 'VALUE_INVALID'],
  },
  'ledger.verify': {
    summary: 'Walk a topic from its beginning and tell the first entry that is not as it must be.',
    input: z.object({ topic: topicOrItem, after: mark.optional(), limit }),
    output: z.object({
      ledger: label,
      topic: ledgerId,
      heldFrom: sequence.describe('Where what is held of it begins: 1, unless it is followed from its middle.'),
      entries: z.number().int().describe('How many were looked at in this walk.'),
      mark,
      isDone: z.boolean(),
      bad: z.object({ sequence, reason: z.string() }).nullable(),
    }),
    errors: [...LEDGER_USE_ERRORS, ...TOPIC_ERRORS, 'VALUE_INVALID'],
  },
  'ledger.profile': {
    summary: 'Show the profile of an agent, as HCS-11 and as seed 003 have it.',
    input: z.object({ agent: agentId }),
    output: profile,
    errors: [...AGENT_ID_ERRORS, ...LEDGER_USE_ERRORS, 'AGENT_NOT_FOUND', 'LEDGER_NOT_SET_UP'],
  },
  'ledger.setProfile': {
    summary: 'Change what the profile of an agent says, and publish it again.',
    input: z.object({
      agent: agentId,
      capabilities: z.array(z.number().int()).optional().describe('Codes of HCS-11, from 0 to 18; at least one.'),
      model: z.string().optional(),
      bio: z.string().optional(),
    }),
    output: profile,
    errors: [
      ...AGENT_ID_ERRORS,
      ...PUBLISH_ERRORS,
      ...TEXT_ERRORS,
      'AGENT_NOT_FOUND',
      'NOT_ALLOWED',
      'PROFILE_INVALID',
      'VALUE_INVALID',
    ],
  },
  'ledger.emit': {
    summary: 'Say on the topic of a work item what has happened to it; those of the routing table are told.',
    input: z.object({
      topic: topicOrItem,
      type: z.string().describe('Such as task.blocked, task.complete or phase.complete.'),
      subject: z.string().optional(),
      payload: json.optional(),
    }),
    output: posted,
    errors: [...DELIVERY_ERRORS, ...PUBLISH_ERRORS, ...TOPIC_ERRORS],
  },
} satisfies Partial<DeclarationsOf<'ledger'>>
