import { z } from 'zod'
import { AGENT_ID_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, json, milliseconds } from './schemas.ts'

const event = z.object({
  cursor: z.string(),
  at: milliseconds,
  type: z.string().describe('What has happened, such as gate.resolved.'),
  subject: z.string().describe('What it is about, by id.'),
  agents: z.array(z.string()).nullable().describe('Whom it concerns; null: everybody.'),
  data: json.describe('Headlines and ids, as they are when it is read.'),
})

const page = z.object({
  items: z.array(event),
  cursor: z.string().describe('Pass it as after to go on.'),
  hasMore: z.boolean().describe('Go on at once, even where there are no items.'),
  hasGap: z.boolean().describe('Events after the given cursor are not kept any more.'),
})

const wanted = z.object({
  after: z.string().max(200).optional().describe('The cursor of the last one seen; absent: from now on.'),
  latest: z.number().int().optional().describe('Without a cursor: begin so many events before now.'),
  types: z.array(z.string()).max(100).optional().describe('Only these types; gate.* stands for all that begin so.'),
  agent: agentId.optional().describe('Only what concerns this agent.'),
  limit: z.number().int().optional(),
})

const ERRORS = [...AGENT_ID_ERRORS, 'CURSOR_UNKNOWN', 'VALUE_INVALID'] as const

export const EVENT_OPERATIONS = {
  'events.list': {
    summary: 'Tell what has happened, in the order in which it did.',
    input: wanted,
    output: page,
    errors: ERRORS,
  },
  'events.wait': {
    summary: 'Wait until something happens.',
    input: wanted.extend({ timeoutMs: milliseconds }),
    output: page,
    errors: ERRORS,
  },
} satisfies DeclarationsOf<'events'>
