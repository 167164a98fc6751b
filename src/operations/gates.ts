import { z } from 'zod'
import { GATE_HOOKS, GATE_KINDS, GATE_MODES, GATE_STATES, type GateState, UNAVAILABLE_POLICIES } from '../model/gate.ts'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, milliseconds, trust } from './schemas.ts'

const gateId = z.string().min(1).max(64).describe('A gate, by its id.')
const moment = milliseconds.nullable()
const kind = z.enum(GATE_KINDS)
const mode = z.enum(GATE_MODES).describe('strict holds, soft warns once.')
const hook = z.enum(GATE_HOOKS).describe('What it holds: the end of a turn, or the use of a tool.')
const policy = z.enum(UNAVAILABLE_POLICIES)

const gate = z.object({
  id: gateId,
  agent: agentId,
  kind,
  mode,
  hook,
  tool: z.string().nullable(),
  reason: z.string(),
  state: z.enum(GATE_STATES as [GateState, ...GateState[]]),
  awaits: z.string().nullable(),
  folder: z.string().nullable(),
  machine: z.string().nullable(),
  untilAt: moment,
  onUnavailable: policy,
  waiters: z.array(agentId),
  createdBy: z.string(),
  createdTrust: trust,
  createdAt: milliseconds,
  dueAt: moment,
  remindEveryMs: moment,
  remindedAt: moment,
  escalateTo: agentId.nullable(),
  escalateAt: moment,
  closedAt: moment,
  closedBy: z.string().nullable(),
  closedReason: z.string().nullable(),
})

const step = z.object({
  at: milliseconds,
  step: z.string(),
  by: z.string(),
  trust,
  sessionId: z.string().nullable(),
  evidence: z.string(),
  times: z
    .number()
    .int()
    .optional()
    .describe('Absent for a single step; otherwise the last of so many that are not kept one by one.'),
})

const sessionGate = z.object({
  sessionId: z.string(),
  name: z.string(),
  hook,
  mode,
  check: z.string().nullable(),
  reason: z.string(),
  machine: z.string(),
  registeredBy: z.string(),
  registeredTrust: trust,
  registeredAt: milliseconds,
  markedAt: moment,
  markedBy: z.string().nullable(),
})

const finding = z.object({
  name: z.string(),
  isDurable: z.boolean(),
  mode,
  reason: z.string(),
  onUnavailable: policy,
  createdBy: z.string(),
  createdTrust: trust,
})

const gateRef = z.object({ id: gateId })
const verdict = gateRef.extend({ reason: z.string() })
const VERDICT_ERRORS = [...TEXT_ERRORS, 'GATE_NOT_FOUND', 'GATE_CLOSED', 'NOT_ALLOWED', 'VALUE_INVALID'] as const

export const GATE_OPERATIONS = {
  'gates.create': {
    summary: 'Hold an agent until something has come.',
    input: z.object({
      agent: agentId,
      kind,
      mode: mode.optional(),
      hook: hook.optional(),
      tool: z.string().optional(),
      reason: z.string(),
      awaits: z.string().optional(),
      folder: z.string().optional(),
      afterMs: milliseconds.optional(),
      timeoutMs: milliseconds.optional(),
      remindEveryMs: milliseconds.optional(),
      escalateTo: agentId.optional(),
      escalateAfterMs: milliseconds.optional(),
      waiters: z.array(agentId).optional(),
      onUnavailable: policy.optional(),
    }),
    output: gate,
    errors: [
      ...AGENT_ID_ERRORS,
      ...TEXT_ERRORS,
      'AGENT_NOT_FOUND',
      'INBOX_FULL',
      'RATE_LIMITED',
      'BUS_ENTRY_NOT_FOUND',
      'BUS_ID_INVALID',
      'BUS_TYPE_INVALID',
      'BUS_UNUSABLE',
      'GATE_NOT_FOUND',
      'DECISION_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'NOT_ALLOWED',
      'SERVICE_NAME_INVALID',
      'SERVICE_NOT_FOUND',
      'VALUE_INVALID',
    ],
  },
  'gates.list': {
    summary: 'List the gates that are open, or all of them.',
    input: z.object({ agent: agentId.optional(), all: z.boolean().optional(), limit: z.number().int().optional() }),
    output: z.array(gate),
    errors: [...AGENT_ID_ERRORS, 'VALUE_INVALID'],
  },
  'gates.show': {
    summary: 'Show a gate and everything that happened at it.',
    input: gateRef,
    output: z.object({ gate, steps: z.array(step) }),
    errors: ['GATE_NOT_FOUND'],
  },
  'gates.check': {
    summary: 'Look whether what a gate waits for has come.',
    input: gateRef,
    output: gate,
    errors: ['GATE_NOT_FOUND'],
  },
  'gates.resolve': {
    summary: 'Resolve a gate so that its agent may go on.',
    input: verdict,
    output: gate,
    errors: VERDICT_ERRORS,
  },
  'gates.waive': {
    summary: 'Let an agent go on although the condition of its gate is not met.',
    input: verdict,
    output: gate,
    errors: VERDICT_ERRORS,
  },
  'gates.register': {
    summary: 'Add a gate to one session.',
    input: z.object({
      sessionId: z.string(),
      name: z.string(),
      hook: hook.optional(),
      mode: mode.optional(),
      check: z.string().optional(),
      reason: z.string().optional(),
    }),
    output: sessionGate,
    errors: [...TEXT_ERRORS, 'SESSION_INVALID', 'SESSION_NOT_FOUND', 'NOT_ALLOWED', 'VALUE_INVALID'],
  },
  'gates.mark': {
    summary: 'Say that a session has done what one of its gates asks for.',
    input: z.object({ sessionId: z.string(), name: z.string() }),
    output: sessionGate,
    errors: ['SESSION_INVALID', 'SESSION_NOT_FOUND', 'GATE_NOT_FOUND', 'VALUE_INVALID'],
  },
  'gates.judge': {
    summary: 'Tell everything that holds a session at this moment.',
    input: z.object({
      agent: agentId,
      sessionId: z.string(),
      hook,
      tool: z.string().optional(),
      timeoutMs: milliseconds,
    }),
    output: z.object({ strict: z.array(finding), soft: z.array(finding) }),
    errors: [...AGENT_ID_ERRORS, 'SESSION_CONFLICT', 'SESSION_INVALID', 'VALUE_INVALID'],
  },
  'gates.noteRefusal': {
    summary: 'Note an attempt to close a gate that a client refused, because a process of an AI named a person.',
    input: z.object({
      id: gateId.describe('A gate or a decision, by its id.'),
      attempt: z.enum(['resolve', 'waive', 'respond', 'cancel']),
      as: agentId.describe('The person in whose name it was tried.'),
      sessionId: z.string().optional(),
    }),
    output: z.undefined(),
    errors: [...AGENT_ID_ERRORS, 'GATE_NOT_FOUND', 'SESSION_INVALID'],
  },
  'gates.passed': {
    summary: 'Note what became of gates that were not granted.',
    input: z.object({
      agent: agentId,
      sessionId: z.string(),
      outcome: z.enum(['blocked', 'warned', 'breached', 'bypassed']),
      names: z.array(z.string()),
      evidence: z.string(),
    }),
    output: z.undefined(),
    errors: [
      ...AGENT_ID_ERRORS,
      ...TEXT_ERRORS,
      'GATE_NOT_FOUND',
      'SESSION_CONFLICT',
      'SESSION_INVALID',
      'VALUE_INVALID',
    ],
  },
} satisfies DeclarationsOf<'gates'>
