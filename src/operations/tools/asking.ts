import { z } from 'zod'
import { ADDS, dedupKey, LOOKS, list, SETS, type Tool, waitSeconds, whole } from './tool.ts'

const decision = z.object({
  text: z.string(),
  id: z.string(),
  state: z.string(),
  gateId: z.string(),
  asked: list,
  answer: z.object({ by: z.string(), trust: z.string(), selected: z.string().nullable() }).nullable(),
})

export const decisionCreate: Tool = {
  name: 'decision_create',
  title: 'Ask a person',
  description:
    'Ask a person to decide, with options. You are held until they answer: go on with other work, or wait with decision_get.',
  operations: ['decisions.create'],
  input: z.object({
    question: z.string(),
    context: z.string().optional().describe('All they need to know.'),
    options: z.array(z.object({ key: z.string(), label: z.string(), description: z.string().optional() })).optional(),
    defaultOption: z.string().optional().describe('Taken at the deadline.'),
    deadlineMs: whole.optional(),
    allowsText: z.boolean().optional(),
    ask: list.optional().describe('People; absent: whoever is responsible.'),
    dedupKey: dedupKey.optional(),
  }),
  output: decision,
  hints: ADDS,
  keyField: 'dedupKey',
}

export const decisionGet: Tool = {
  name: 'decision_get',
  title: 'Get a decision',
  description: 'See whether a question was answered, and how; or wait for the answer.',
  operations: ['decisions.show', 'decisions.await'],
  input: z.object({ id: z.string(), waitSeconds: waitSeconds.optional() }),
  output: decision,
  hints: LOOKS,
}

const gate = z.object({ id: z.string(), kind: z.string(), mode: z.string(), state: z.string() })
const listedGate = gate.extend({ createdBy: z.string(), trust: z.string() })

export const gateList: Tool = {
  name: 'gate_list',
  title: 'List gates',
  description: 'See what holds you: why you may not stop or use a tool.',
  operations: ['gates.list'],
  input: z.object({ all: z.boolean().optional().describe('Closed ones too.') }),
  output: z.object({ text: z.string(), gates: z.array(listedGate) }),
  hints: LOOKS,
}

export const gateResolve: Tool = {
  name: 'gate_resolve',
  title: 'Resolve a gate',
  description: 'Open a gate that you have set yourself, once its condition is met. Others are for people.',
  operations: ['gates.resolve'],
  input: z.object({ id: z.string(), reason: z.string(), dedupKey: dedupKey.optional() }),
  output: z.object({ id: z.string(), state: z.string() }),
  hints: SETS,
  keyField: 'dedupKey',
}
