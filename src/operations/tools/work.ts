import { z } from 'zod'
import { ITEM_PRIORITIES, ITEM_TYPES } from '../../model/handoff/item.ts'
import { ADDS, dedupKey, type Hints, LOOKS, list, SETS, type Tool, text, whole } from './tool.ts'

const zone = z.string().optional().describe('IANA')

/** When a plan fires, in one of three ways. */
const planFields = {
  name: z.string().optional(),
  instruction: z.string().optional().describe('What you are told then.'),
  runAfter: z.string().optional().describe('5 hours'),
  scheduledAt: z.string().optional().describe('ISO 8601'),
  cron: z.string().optional().describe('0 9 * * 1'),
  zone,
}
/** Name and instruction are left out: another author may have written them, so they appear only inside the fence. */
const plan = z.object({ id: z.string(), nextRunAt: z.string().nullable().describe('Null: never again.') })
const plans = z.object({ plans: z.array(plan) })

export const planSet: Tool = {
  name: 'plan_set',
  title: 'Set a plan',
  description:
    'Have yourself told something later: after a while, at a time, or again and again. The same name changes the same plan.',
  operations: ['plans.set'],
  input: z.object({ ...planFields, dedupKey: dedupKey.optional() }),
  output: plan,
  hints: SETS,
  keyField: 'dedupKey',
}

export const setPlans: Tool = {
  name: 'set_plans',
  title: 'Set plans',
  description: 'Make plans or change them, by id or by name: all of them or none. When one fires you are told.',
  operations: ['plans.set'],
  input: z.object({
    plans: z.array(z.object({ id: z.string().optional(), ...planFields })),
    dedupKey: dedupKey.optional(),
  }),
  output: plans,
  hints: SETS,
  keyField: 'dedupKey',
}

export const getPlans: Tool = {
  name: 'get_plans',
  title: 'Get plans',
  description: 'See your plans, the next to fire first.',
  operations: ['plans.list'],
  input: z.object({ all: z.boolean().optional().describe('Also those that will not fire again.') }),
  output: z.object({
    text,
    plans: z.array(plan.extend({ cron: z.string().nullable(), zone: z.string(), runs: whole })),
  }),
  hints: LOOKS,
}

const DELETES: Hints = { ...SETS, destructiveHint: true }

export const deletePlans: Tool = {
  name: 'delete_plans',
  title: 'Delete plans',
  description: 'Delete plans of yours, by id or name: all of them or none.',
  operations: ['plans.delete'],
  input: z.object({ ids: list, dedupKey: dedupKey.optional() }),
  output: z.object({ deleted: list }),
  hints: DELETES,
  keyField: 'dedupKey',
}

const place = {
  project_id: z.string().optional().describe('Absent: the one you work in.'),
  task_id: z.string().optional(),
}

export const busPost: Tool = {
  name: 'bus_post',
  title: 'Post on the bus',
  description: "Write down what others should know later on the project's or task's log: facts, progress, issues.",
  operations: ['bus.post'],
  input: z.object({
    ...place,
    type: z.string().optional().describe('FACT, PROGRESS, QUESTION, ANSWER, ISSUE, …'),
    body: z.string(),
    issue_id: z.string().optional(),
    parents: list.optional().describe('Entries that it follows.'),
    to: list.optional().describe('Agents to tell.'),
    dedupKey: dedupKey.optional(),
  }),
  output: z.object({ msg_id: z.string(), ts: z.string(), warnings: list }),
  hints: ADDS,
  keyField: 'dedupKey',
}

export const busRead: Tool = {
  name: 'bus_read',
  title: 'Read the bus',
  description: "Read the project's or task's log: what happened before you, and what others found out.",
  operations: ['bus.read'],
  input: z.object({
    ...place,
    after: z.string().optional().describe('cursor of an earlier page'),
    tail: whole.optional().describe('Only the last so many (20 without after).'),
    types: list.optional(),
  }),
  output: z.object({ text, cursor: z.string().nullable(), hasMore: z.boolean() }),
  hints: LOOKS,
}

export const handoffLeave: Tool = {
  name: 'handoff_leave',
  title: 'Leave a handoff item',
  description: 'Before you end, leave what the next session of this project must know.',
  operations: ['handoff.leave'],
  input: z.object({
    type: z.enum(ITEM_TYPES),
    text: z.string(),
    priority: z.enum(ITEM_PRIORITIES).optional(),
    to: z.string().optional().describe('Only for this agent.'),
    project: z.string().optional().describe('Its folder; absent: the one you work in.'),
    dedupKey: dedupKey.optional(),
  }),
  output: z.object({ name: z.string(), path: z.string(), tokens: whole }),
  hints: ADDS,
  keyField: 'dedupKey',
}
