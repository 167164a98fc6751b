import { z } from 'zod'
import { SPACE_JOININGS, SPACE_READINGS } from '../model/sources/space-rules.ts'
import { AGENT_ID_ERRORS, POST_ERRORS, SPACE_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, deliveryState, messageId, milliseconds, priority, sender, traceContext } from './schemas.ts'

const spaceId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/)
  .describe('A space, by its id.')
const seq = z.number().int().min(0).describe('The number of a post within its space.')
const limit = z.number().int().min(1).max(1_000)

const joining = z.enum(SPACE_JOININGS).describe('Who becomes a member: invited agents, or every agent that wants to.')
const history = z.enum(SPACE_READINGS).describe('What a new member may read: posts from its joining on, or all.')

const space = z.object({
  id: spaceId,
  name: z.string(),
  joining,
  history,
  createdBy: z.string(),
  createdAt: milliseconds,
  closedAt: milliseconds.nullable(),
})

const spaceInFull = space.extend({ members: z.array(z.object({ agent: agentId, joinedAt: milliseconds })) })

const spaceStatus = space.extend({
  members: z.number().int(),
  posts: z.number().int(),
  lastPostAt: milliseconds.nullable(),
})

const post = z.object({
  seq,
  messageId,
  from: sender,
  senderName: z.string(),
  content: z.string(),
  damaged: z
    .literal(true)
    .optional()
    .describe("True if the stored post does not match its checksum. Then only its number and id are the post's own."),
  priority,
  replyTo: messageId.nullable(),
  createdAt: milliseconds,
})

const spaceRef = z.object({ id: spaceId })
const membership = spaceRef.extend({ agent: agentId.optional() })
const MEMBERSHIP_ERRORS = [...SPACE_ERRORS, ...AGENT_ID_ERRORS, 'AGENT_NOT_FOUND', 'NOT_ALLOWED', 'USAGE'] as const

export const SPACE_OPERATIONS = {
  'spaces.create': {
    summary: 'Make a space with its first members.',
    input: spaceRef.extend({
      name: z.string().optional(),
      members: z.array(agentId).optional(),
      joining: joining.optional(),
      history: history.optional(),
    }),
    output: spaceInFull,
    errors: [
      'SPACE_ID_INVALID',
      'SPACE_EXISTS',
      'SPACE_CLOSED',
      ...AGENT_ID_ERRORS,
      ...TEXT_ERRORS,
      'AGENT_NOT_FOUND',
      'NOT_ALLOWED',
      'QUOTA_REACHED',
      'RATE_LIMITED',
      'VALUE_INVALID',
    ],
  },
  'spaces.list': {
    summary: 'List the spaces that are not closed, or all of them; of one member, or of everybody.',
    input: z.object({ member: agentId.optional(), closed: z.boolean().optional() }),
    output: z.array(spaceStatus),
    errors: AGENT_ID_ERRORS,
  },
  'spaces.show': {
    summary: 'Show a space and its members.',
    input: spaceRef,
    output: spaceInFull,
    errors: SPACE_ERRORS,
  },
  'spaces.join': {
    summary: 'Become a member of a space.',
    input: membership,
    output: spaceInFull,
    errors: [...MEMBERSHIP_ERRORS, 'SPACE_CLOSED', 'VALUE_INVALID'],
  },
  'spaces.leave': {
    summary: 'Be a member of a space no longer.',
    input: membership,
    output: spaceInFull,
    errors: MEMBERSHIP_ERRORS,
  },
  'spaces.close': {
    summary: 'Close a space: it can still be read.',
    input: spaceRef,
    output: space,
    errors: [...SPACE_ERRORS, 'NOT_ALLOWED'],
  },
  'spaces.post': {
    summary: 'Say something to every other member of a space.',
    input: z.object({
      id: spaceId.optional().describe('Absent: the space that was entered.'),
      content: z.string(),
      priority: priority.optional(),
      replyTo: messageId.optional(),
      dedupKey: z.string().optional(),
      trace: traceContext.optional(),
    }),
    output: z.object({
      post,
      spaceId,
      duplicate: z.boolean(),
      recipients: z.array(z.object({ agent: agentId, state: deliveryState })),
    }),
    errors: [
      ...POST_ERRORS,
      'SPACE_NOT_ENTERED',
      'CONTENT_EMPTY',
      ...TEXT_ERRORS,
      'PRIORITY_INVALID',
      'VALUE_INVALID',
      'DEDUP_CONFLICT',
      'INBOX_FULL',
      'MESSAGE_NOT_FOUND',
      'AGENT_NOT_FOUND',
    ],
  },
  'spaces.history': {
    summary: 'Read what was said in a space, oldest first.',
    input: spaceRef.extend({ limit: limit.optional(), before: seq.optional(), after: seq.optional() }),
    output: z.object({ items: z.array(post), earlier: seq.nullable() }),
    errors: [...SPACE_ERRORS, 'SPACE_NOT_MEMBER', 'VALUE_INVALID'],
  },
  'spaces.enter': {
    summary: 'Turn to a space: tell what was said there last, and post there from now on.',
    input: membership.extend({ limit: limit.optional() }),
    output: z.object({ space: spaceInFull, history: z.array(post) }),
    errors: [
      ...SPACE_ERRORS,
      ...AGENT_ID_ERRORS,
      'SPACE_CLOSED',
      'SPACE_NOT_MEMBER',
      'NOT_ALLOWED',
      'USAGE',
      'VALUE_INVALID',
    ],
  },
} satisfies DeclarationsOf<'spaces'>
