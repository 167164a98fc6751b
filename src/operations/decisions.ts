import { z } from 'zod'
import { DECISION_STATES } from '../model/decision.ts'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, milliseconds, trust } from './schemas.ts'

const decisionId = z.string().min(1).max(64).describe('A decision, by its id.')
const moment = milliseconds.nullable()

const decision = z.object({
  id: decisionId,
  agent: agentId,
  gateId: z.string(),
  question: z.string(),
  context: z.string().nullable(),
  options: z.array(z.object({ key: z.string(), label: z.string(), description: z.string().nullable() })),
  defaultOption: z.string().nullable(),
  dueAt: moment,
  allowsText: z.boolean(),
  asked: z.array(agentId),
  state: z.enum(DECISION_STATES),
  createdBy: z.string(),
  createdTrust: trust,
  createdAt: milliseconds,
  answer: z
    .object({
      by: z.string(),
      verified: z.boolean(),
      at: milliseconds,
      selected: z.string().nullable(),
      text: z.string().nullable(),
    })
    .nullable(),
})

const decisionRef = z.object({ id: decisionId })
const END_ERRORS = [...TEXT_ERRORS, 'DECISION_NOT_FOUND', 'DECISION_CLOSED', 'NOT_ALLOWED', 'VALUE_INVALID'] as const

export const DECISION_OPERATIONS = {
  'decisions.create': {
    summary: 'Ask people a question; the asker is held until one of them answers.',
    input: z.object({
      agent: agentId.optional(),
      question: z.string(),
      context: z.string().optional(),
      options: z.array(z.object({ key: z.string(), label: z.string(), description: z.string().optional() })).optional(),
      defaultOption: z.string().optional(),
      deadlineMs: milliseconds.optional(),
      allowsText: z.boolean().optional(),
      ask: z.array(agentId).optional(),
      mode: z.enum(['strict', 'soft']).optional(),
    }),
    output: decision,
    errors: [
      ...AGENT_ID_ERRORS,
      ...TEXT_ERRORS,
      'AGENT_NOT_FOUND',
      'CONTENT_EMPTY',
      'INBOX_FULL',
      'NOT_ALLOWED',
      'OPTION_UNKNOWN',
      'RATE_LIMITED',
      'USAGE',
      'VALUE_INVALID',
    ],
  },
  'decisions.list': {
    summary: 'List the questions that are open, or all of them.',
    input: z.object({
      agent: agentId.optional(),
      concerning: agentId.optional().describe('Only questions that this agent asked or was asked.'),
      all: z.boolean().optional(),
      limit: z.number().int().optional(),
    }),
    output: z.array(decision),
    errors: [...AGENT_ID_ERRORS, 'VALUE_INVALID'],
  },
  'decisions.show': {
    summary: 'Show a question, its options and its answer.',
    input: decisionRef,
    output: decision,
    errors: ['DECISION_NOT_FOUND'],
  },
  'decisions.respond': {
    summary: 'Answer a question; the first answer wins, and the asker is told.',
    input: decisionRef.extend({ select: z.string().optional(), text: z.string().optional() }),
    output: decision,
    errors: [...END_ERRORS, 'OPTION_UNKNOWN', 'USAGE'],
  },
  'decisions.await': {
    summary: 'Sleep until a question is no longer open.',
    input: decisionRef.extend({ timeoutMs: milliseconds }),
    output: decision,
    errors: ['DECISION_NOT_FOUND', 'TIMED_OUT', 'VALUE_INVALID'],
  },
  'decisions.cancel': {
    summary: 'Take a question back; its gate is waived.',
    input: decisionRef.extend({ reason: z.string().optional() }),
    output: decision,
    errors: END_ERRORS,
  },
} satisfies DeclarationsOf<'decisions'>
