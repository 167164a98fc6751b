import { z } from 'zod'
import { ITEM_PRIORITIES, ITEM_TYPES } from '../model/handoff/item.ts'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, messageId, milliseconds } from './schemas.ts'

/** In the words of seed 004: what its files call `from_session` is called so everywhere. */

const place = z.object({
  project: z.string().describe('Any folder of the project, by its whole path on the machine where this is done.'),
  shared: z
    .boolean()
    .optional()
    .describe('At the root of the main repository instead of that of the worktree; absent: as configured.'),
})
const inheritanceId = z.string().min(1).max(64).describe('An inheritance, by its id.')
const inheritanceRef = z.object({ id: inheritanceId })
const itemName = z.string().describe('The name of the file of an item.')
const session = z.string().describe('A session, by its id.')

const itemRef = z.object({
  box: z.string().describe('inbox, or from-<repo> in the inbox that repositories share.'),
  name: itemName,
})

const item = itemRef.extend({
  type: z.enum(ITEM_TYPES).nullable().describe('Null where the file has no front matter that can be read.'),
  priority: z.enum(ITEM_PRIORITIES),
  from_session: z.string().nullable(),
  created: z.string().nullable(),
  to: z.string().nullable(),
  to_repo: z.string().nullable(),
  gate: z.string().nullable(),
  plan: z.string().nullable(),
  extra: z.record(z.string(), z.string()).describe('Fields of other writers.'),
  body: z.string(),
})

const refused = z.array(itemRef.extend({ reason: z.string() })).describe('Files that are not read, and stay.')

const outboxFile = z.object({
  name: z.string(),
  path: z.string(),
  bytes: z.number().int(),
  at: milliseconds,
})

const PLACE_ERRORS = [
  ...TEXT_ERRORS,
  'HANDOFF_OUTSIDE',
  'HANDOFF_UNKNOWN_PROJECT',
  'HANDOFF_UNUSABLE',
  'VALUE_INVALID',
] as const

export const HANDOFF_OPERATIONS = {
  'handoff.init': {
    summary: 'Make the folders of a project in which sessions leave items for the next, as far as they are missing.',
    input: place,
    output: z.object({ root: z.string(), inbox: z.string(), outbox: z.string(), made: z.array(z.string()) }),
    errors: [...PLACE_ERRORS, 'NOT_ALLOWED'],
  },
  'handoff.leave': {
    summary: 'Leave an item for the next session of a project.',
    input: place.extend({
      type: z.string().describe('learning, caution, context or thread.'),
      priority: z.string().optional().describe('high, medium (where none is named) or low.'),
      text: z.string(),
      session: session.optional().describe('The session that leaves it; absent: the date and the branch.'),
      to: agentId.optional().describe('Only for this agent, which is told by a message too.'),
      toRepo: z
        .union([z.string(), z.literal(true)])
        .optional()
        .describe('Into the inbox that repositories share; a name: only for that repository.'),
      plan: z
        .object({
          runAfter: z.string().optional().describe('A duration, such as 5 hours.'),
          scheduledAt: z.string().optional().describe('ISO 8601 with a zone, such as 2026-02-20T10:00:00Z.'),
          cron: z.string().optional().describe('Five fields: minute, hour, day of month, month, day of week.'),
          zone: z.string().optional().describe('The IANA zone in which the cron expression is read.'),
        })
        .optional()
        .describe('When a plan reminds of a thread.'),
      gate: z.boolean().optional().describe('A thread holds the agent until somebody has inherited it.'),
    }),
    output: itemRef.extend({
      path: z.string(),
      from_session: z.string(),
      tokens: z.number().int().describe('What showing it will cost.'),
      message: messageId.nullable(),
      gate: z.string().nullable(),
      plan: z.string().nullable(),
    }),
    errors: [
      ...PLACE_ERRORS,
      ...AGENT_ID_ERRORS,
      'HANDOFF_TYPE_INVALID',
      'HANDOFF_PRIORITY_INVALID',
      'HANDOFF_ITEM_INVALID',
      'AGENT_NOT_FOUND',
      'CRON_INVALID',
      'DURATION_INVALID',
      'NOT_ALLOWED',
      'PLAN_TIME_INVALID',
      'USAGE',
      'ZONE_UNKNOWN',
    ],
  },
  'handoff.inherit': {
    summary: 'Offer what was left for the next session; nobody else is offered the same.',
    input: place.extend({
      agent: agentId.optional().describe('For whom; items for other agents are left alone.'),
      session: session.optional().describe('The session that inherits; it is not shown what it left itself.'),
      maxTokens: z.number().int().optional().describe('About how much may be shown; the first item always is.'),
    }),
    output: z.object({
      id: inheritanceId.nullable().describe('Null where nothing is offered.'),
      root: z.string(),
      isInitialised: z.boolean().describe('False where no person has set up handoff: then nothing is offered.'),
      heldBack: z.number().int().describe('How many items wait where nobody has set up handoff.'),
      items: z.array(item),
      waiting: z.array(
        itemRef.extend({
          type: z.enum(ITEM_TYPES).nullable(),
          from_session: z.string().nullable(),
          headline: z.string(),
          tokens: z.number().int(),
        }),
      ),
      refused,
      tokens: z.number().int().describe('What showing all of it costs.'),
    }),
    errors: [...PLACE_ERRORS, ...AGENT_ID_ERRORS, 'NOT_ALLOWED', 'SESSION_CONFLICT', 'SESSION_INVALID'],
  },
  'handoff.printed': {
    summary: 'Note that the text of an inheritance was written out whole.',
    input: inheritanceRef,
    output: z.undefined(),
    errors: ['HANDOFF_OFFER_NOT_FOUND'],
  },
  'handoff.confirm': {
    summary: 'An inheritance was taken in: its files move to processed/.',
    input: inheritanceRef.extend({ printed: z.boolean().optional().describe('It was printed a moment ago.') }),
    output: z.object({ id: inheritanceId, moved: z.array(z.string()) }),
    errors: ['HANDOFF_OFFER_NOT_FOUND', 'HANDOFF_OUTSIDE', 'HANDOFF_UNUSABLE', 'OFFER_UNPRINTED'],
  },
  'handoff.release': {
    summary: 'Give an inheritance back, so that the next session is shown the same.',
    input: inheritanceRef.extend({ reason: z.string() }),
    output: z.undefined(),
    errors: ['HANDOFF_OFFER_NOT_FOUND', ...TEXT_ERRORS],
  },
  'handoff.list': {
    summary: 'List what waits for the next session, or what was inherited.',
    input: place.extend({ processed: z.boolean().optional() }),
    output: z.object({
      root: z.string(),
      isInitialised: z.boolean(),
      items: z.array(item.extend({ tokens: z.number().int(), isOffered: z.boolean() })),
      refused,
      averageTokens: z.number().nullable().describe('What inheriting cost here so far, on average.'),
      inheritances: z.number().int(),
    }),
    errors: PLACE_ERRORS,
  },
  'handoff.show': {
    summary: 'Show an item, whether it waits or was inherited.',
    input: place.extend({ name: itemName }),
    output: item,
    errors: [...PLACE_ERRORS, 'HANDOFF_ITEM_NOT_FOUND'],
  },
  'handoff.writeOut': {
    summary: 'Write a file for consumers outside, such as a governance report.',
    input: place.extend({
      kind: z.string().describe('governance-report, or another: lower-case letters, digits and -.'),
      text: z.string(),
      topic: z.string().optional().describe('What it is about; it becomes its title.'),
      session: session.optional(),
    }),
    output: outboxFile,
    errors: [...PLACE_ERRORS, 'HANDOFF_ITEM_INVALID'],
  },
  'handoff.listOut': {
    summary: 'List what lies in the outbox.',
    input: place,
    output: z.array(outboxFile),
    errors: PLACE_ERRORS,
  },
  'handoff.clean': {
    summary: 'Remove what was inherited longer ago than that.',
    input: place.extend({ olderThanMs: milliseconds }),
    output: z.object({ removed: z.array(z.string()) }),
    errors: [...PLACE_ERRORS, 'NOT_ALLOWED'],
  },
} satisfies DeclarationsOf<'handoff'>
