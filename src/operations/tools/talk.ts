import { z } from 'zod'
import { ENTITY_TYPES, REF_TYPES } from '../../model/ledger/work-item.ts'
import { ADDS, dedupKey, type Hints, LOOKS, list, SETS, type Tool, text, whole } from './tool.ts'

/** A ledger may be a public one, so what is said there may leave the house. */
const PUBLISHES: Hints = { ...ADDS, openWorldHint: true }

const seedPriority = z.number().int().min(1).max(5).describe('1 urgent … 5 fyi')

export const sendMessage: Tool = {
  name: 'send_message',
  title: 'Send a message',
  description:
    'Send a message to another agent or a person: blocked issues, review requests, FYIs, feedback, questions. It waits until they read it.',
  operations: ['messages.send'],
  input: z.object({
    to_agent: z.string().describe('An id of agent_list, or ALL.'),
    message_type: z.string().describe('feedback, fyi, review.request, task.note, …'),
    subject: z.string(),
    payload: z.unknown().optional().describe('The content.'),
    ref_id: z.string().optional().describe('What it is about.'),
    ref_type: z.enum(REF_TYPES).optional(),
    priority: seedPriority.optional(),
    dedup_key: dedupKey.optional(),
  }),
  output: z.object({
    messages: z.array(
      z.object({ message_id: z.string(), to_agent: z.string(), duplicate: z.boolean(), held: z.boolean() }),
    ),
  }),
  hints: PUBLISHES,
  keyField: 'dedup_key',
  isAlwaysThere: true,
}

export const postNote: Tool = {
  name: 'post_note',
  title: 'Post a note',
  description: 'Comment on a task, phase, stage or project for the record, and tell those who should know.',
  operations: ['notes.post'],
  input: z.object({
    entity_id: z.string().describe('The name of the work item, or its topic.'),
    entity_type: z.enum(ENTITY_TYPES),
    note: z.string().describe('Markdown.'),
    notify: list.optional().describe('Agents to tell.'),
    priority: seedPriority.optional(),
    dedup_key: dedupKey.optional(),
  }),
  output: z.object({ topic_id: z.string().nullable(), sequence: whole.nullable(), notified: list, skipped: list }),
  hints: PUBLISHES,
  keyField: 'dedup_key',
}

export const spacePost: Tool = {
  name: 'space_post',
  title: 'Post in a space',
  description: 'Say something to all members of a space. Answer there what was said there.',
  operations: ['spaces.post'],
  input: z.object({
    id: z.string().optional().describe('The space; absent: the one entered.'),
    content: z.string(),
    replyTo: z.string().optional(),
    dedupKey: dedupKey.optional(),
  }),
  output: z.object({ spaceId: z.string(), messageId: z.string(), seq: whole, recipients: whole }),
  hints: ADDS,
  keyField: 'dedupKey',
}

export const agentList: Tool = {
  name: 'agent_list',
  title: 'List agents',
  description: 'See who there is to write to, and whether they are there.',
  operations: ['agents.list'],
  input: z.object({}),
  output: z.object({
    agents: z.array(
      z.object({ id: z.string(), kind: z.string(), displayName: z.string(), pending: whole, liveness: z.string() }),
    ),
  }),
  hints: LOOKS,
}

const history = z.object({ text, seq: whole.nullable().describe('Of the oldest; pass it as before to go back.') })

export const enterSpace: Tool = {
  name: 'enter_space',
  title: 'Enter a space',
  description: 'Turn to a space: read what was said there last; space_post speaks there from now on.',
  operations: ['spaces.enter'],
  input: z.object({ id: z.string(), limit: whole.optional() }),
  output: history.extend({ members: list }),
  hints: SETS,
}

export const readMessages: Tool = {
  name: 'read_messages',
  title: 'Read a space',
  description: 'Read what was said in a space, page by page back in time.',
  operations: ['spaces.history'],
  input: z.object({ id: z.string(), limit: whole.optional(), before: whole.optional() }),
  output: history,
  hints: LOOKS,
}
