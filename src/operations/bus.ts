import { z } from 'zod'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, json, messageId, milliseconds } from './schemas.ts'

/** In the words of seed 002: what its files call `msg_id` is called so everywhere. */

const project_id = z.string().describe('A project, by its id.')
const task_id = z.string().describe('A task of the project; absent: the bus of the project itself.')
const msg_id = z.string().describe('An entry, by its id.')
const place = z.object({ project_id, task_id: task_id.optional() })
const meta = z.record(z.string(), json)
const parent = z.object({ msg_id, kind: z.string().optional() })

const attachment = z.object({
  path: z.string().describe('Relative to the folder of the task, or of the project.'),
  kind: z.string().optional(),
  label: z.string().optional(),
  mime: z.string().optional(),
  size_bytes: z.number().int().optional(),
  sha256: z.string().optional(),
})

const link = z.object({
  kind: z.string().optional(),
  path: z.string().optional(),
  url: z.string().optional(),
  run_id: z.string().optional(),
  task_id: z.string().optional(),
})

const entry = z.object({
  msg_id,
  ts: z.string().describe('When it was written, by the clock of whoever did.'),
  type: z
    .string()
    .describe('FACT, QUESTION, ANSWER, USER, INFO, WARNING, ERROR, OBSERVATION, ISSUE, START, STOP, CRASH, …'),
  project_id,
  task_id: z.string().optional(),
  run_id: z.string().optional(),
  issue_id: z.string().optional(),
  parents: z.array(parent).optional(),
  attachment_path: z.string().optional(),
  attachments: z.array(attachment).optional(),
  links: z.array(link).optional(),
  meta: meta.optional(),
  extra: meta.optional().describe('Headers of other writers.'),
  body: z.string(),
  body_base64: z.string().optional().describe('The bytes of the body where they are not UTF-8.'),
})

const fault = z.object({
  file: z.string(),
  offset: z.number().int(),
  bytes: z.number().int(),
  msg_id: msg_id.optional(),
  reason: z.string(),
})

const page = z.object({
  items: z.array(entry),
  cursor: z.string().nullable().describe('Pass it as after to go on.'),
  cursors: z.array(z.string()).optional().describe('Of two buses: the cursor right after each of the items.'),
  hasMore: z.boolean().describe('Go on at once, even where there are no items.'),
  hasGap: z.boolean().describe('The entry of the cursor is gone, or two files hold its number: others may be missing.'),
  faults: z.array(fault).describe('Parts of the file that are no entries.'),
})

const wanted = place.extend({
  after: z.string().optional().describe('The id of the last entry seen.'),
  limit: z.number().int().optional(),
  types: z.array(z.string()).optional(),
  issue_id: z.string().optional(),
  run_id: z.string().optional(),
  merged: z.boolean().optional().describe('The bus of the task and that of its project in one, by time.'),
})

const issue = z.object({
  id: z.string(),
  msg_id,
  title: z.string(),
  status: z.string(),
  state: z.enum(['ready', 'blocked', 'closed']),
  ts: z.string(),
  updated_ts: z.string(),
  depends_on: z.array(z.string()),
  blocked_by: z.array(z.string()),
  relations: z.array(z.object({ kind: z.string(), id: z.string() })),
  closed_by: z.string().optional(),
})

const READ_ERRORS = ['BUS_ID_INVALID', 'BUS_NOT_FOUND', 'BUS_UNUSABLE'] as const
const PAGE_ERRORS = [...READ_ERRORS, 'BUS_ENTRY_NOT_FOUND', 'BUS_TYPE_INVALID', 'USAGE', 'VALUE_INVALID'] as const

export const BUS_OPERATIONS = {
  'bus.post': {
    summary: 'Write an entry on the bus of a project or a task.',
    input: place.extend({
      type: z.string().optional().describe('USER where none is named.'),
      body: z.string().optional(),
      message: z.string().optional().describe('Another name for body.'),
      body_base64: z.string().optional(),
      run_id: z.string().optional(),
      issue_id: z.string().optional(),
      parents: z.array(z.union([parent, z.string()])).optional(),
      attachment_path: z.string().optional(),
      attachments: z
        .array(
          attachment.omit({ path: true, size_bytes: true, sha256: true }).extend({
            path: z.string().optional().describe('What lies in the folder already.'),
            name: z.string().optional().describe('A name for the data.'),
            data: z.string().optional().describe('Base64.'),
          }),
        )
        .optional(),
      links: z.array(link).optional(),
      meta: meta.optional(),
      to: z.array(agentId).optional().describe('Agents whose inbox is told of it.'),
      ask: z.array(agentId).optional().describe('People to whom a QUESTION is put as a decision.'),
      options: z.array(z.object({ key: z.string(), label: z.string(), description: z.string().optional() })).optional(),
      select: z.string().optional().describe('The option that an ANSWER chooses.'),
    }),
    output: z.object({
      msg_id,
      ts: z.string(),
      warnings: z.array(z.string()),
      messageId: messageId.nullable(),
      decisionId: z.string().nullable(),
    }),
    errors: [
      'BUS_ID_INVALID',
      'BUS_TYPE_INVALID',
      'BUS_ENTRY_INVALID',
      'BUS_BODY_TOO_LARGE',
      'ATTACHMENT_REFUSED',
      'BUS_BUSY',
      'BUS_UNUSABLE',
      ...AGENT_ID_ERRORS,
      ...TEXT_ERRORS,
      'AGENT_NOT_FOUND',
      'CONTENT_EMPTY',
      'DECISION_CLOSED',
      'DECISION_NOT_FOUND',
      'INBOX_FULL',
      'NOT_ALLOWED',
      'OPTION_UNKNOWN',
      'RATE_LIMITED',
      'USAGE',
      'VALUE_INVALID',
    ],
  },
  'bus.read': {
    summary: 'Read entries of a bus, oldest first.',
    input: wanted.extend({ tail: z.number().int().optional().describe('Only the last so many; 0: all.') }),
    output: page,
    errors: PAGE_ERRORS,
  },
  'bus.wait': {
    summary: 'Wait until something comes on a bus.',
    input: wanted.extend({ timeoutMs: milliseconds.optional() }),
    output: page,
    errors: PAGE_ERRORS,
  },
  'bus.list': {
    summary: 'List the buses of all projects, or of one.',
    input: z.object({ project_id: project_id.optional() }),
    output: z.array(place.extend({ bytes: z.number().int(), lastId: z.string().nullable(), changedAt: milliseconds })),
    errors: ['BUS_ID_INVALID', 'BUS_UNUSABLE'],
  },
  'bus.issues': {
    summary: 'Tell the issues of a bus: which are ready, and what blocks the others.',
    input: place,
    output: place.extend({
      issues: z.array(issue),
      cycles: z.array(z.array(z.string())),
      unknown: z.array(z.string()),
    }),
    errors: READ_ERRORS,
  },
  'bus.verify': {
    summary: 'Read all of a bus and tell what is wrong with it.',
    input: place,
    output: place.extend({
      isSound: z.boolean(),
      entries: z.number().int(),
      bytes: z.number().int(),
      files: z.array(z.string()),
      faults: z.array(fault),
      isSorted: z.boolean(),
    }),
    errors: READ_ERRORS,
  },
  'bus.rotate': {
    summary: 'Set aside what a bus holds as an archive, so that its file begins anew.',
    input: place.extend({ overBytes: z.number().int().optional().describe('Only where the file is larger.') }),
    output: place.extend({ archive: z.string().nullable(), bytes: z.number().int() }),
    errors: [...READ_ERRORS, 'BUS_BUSY', 'NOT_ALLOWED', 'VALUE_INVALID'],
  },
} satisfies DeclarationsOf<'bus'>
