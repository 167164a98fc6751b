import { z } from 'zod'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, liveSession, milliseconds, session, sessionHost } from './schemas.ts'

const sessionInput = z.object({
  id: z.string(),
  agent: agentId,
  host: sessionHost.optional(),
  pid: z.number().int().optional(),
  pidStartedAt: milliseconds.optional(),
  starterPid: z.number().int().optional(),
  starterStartedAt: milliseconds.optional(),
  machine: z.string().optional(),
  project: z.string().optional(),
})

const SESSION_ERRORS = [
  ...AGENT_ID_ERRORS,
  ...TEXT_ERRORS,
  'SESSION_INVALID',
  'SESSION_CONFLICT',
  'AGENT_NOT_FOUND',
] as const

export const SESSION_OPERATIONS = {
  'sessions.begin': {
    summary: 'Register a session of an agent, or note that it goes on.',
    input: sessionInput,
    output: session,
    errors: [...SESSION_ERRORS, 'NOT_ALLOWED', 'RATE_LIMITED', 'VALUE_INVALID'],
  },
  'sessions.note': {
    summary: 'Note an event of a host: what its session was shown before has been consumed.',
    input: sessionInput.extend({
      event: z.string(),
      ageMs: milliseconds.optional(),
      loses: z.boolean().optional(),
      firing: z.string().optional(),
      minContinuations: z.number().int().min(0).max(2_000).optional(),
    }),
    output: z.object({
      session,
      isRepeated: z.boolean(),
      begunAt: milliseconds.nullable(),
      confirmed: z.number().int(),
    }),
    errors: [...SESSION_ERRORS, 'NOT_ALLOWED', 'RATE_LIMITED', 'VALUE_INVALID'],
  },
  'sessions.markQuiet': {
    summary: 'Mark an agent as quiet if nothing waits for it.',
    input: z.object({ agent: agentId }),
    output: z.boolean(),
    errors: AGENT_ID_ERRORS,
  },
  'sessions.setStop': {
    summary: 'Note that the end of a turn was put off once more, granted, or let go.',
    input: z.object({
      id: z.string(),
      outcome: z.enum(['continued', 'granted', 'released']),
      ageMs: milliseconds.optional(),
    }),
    output: session,
    errors: ['SESSION_INVALID', 'SESSION_NOT_FOUND', 'NOT_ALLOWED', 'VALUE_INVALID'],
  },
  'sessions.end': {
    summary: 'End a session: what it consumed is confirmed, the rest given back.',
    input: z.object({ id: z.string() }),
    output: session,
    errors: ['SESSION_INVALID', 'SESSION_NOT_FOUND'],
  },
  'sessions.list': {
    summary: 'List sessions that have not ended, and whether their hosts live.',
    input: z.object({
      agent: agentId.optional(),
      id: z.string().optional(),
      pids: z
        .array(z.number().int())
        .optional()
        .describe('Only sessions of these host processes; ended ones too, because a host may outlive its session.'),
    }),
    output: z.array(liveSession),
    errors: [...AGENT_ID_ERRORS, 'SESSION_INVALID'],
  },
} satisfies DeclarationsOf<'sessions'>
