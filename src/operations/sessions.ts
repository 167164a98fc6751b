import { z } from 'zod'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import { operation } from './operation.ts'
import { agentId, liveSession, milliseconds, session } from './schemas.ts'

export const beginSession = operation({
  name: 'sessions.begin',
  summary: 'Register a session of an agent, or note that it goes on.',
  input: z.object({
    id: z.string(),
    agent: agentId,
    host: z.string().optional(),
    pid: z.number().int().optional(),
    pidStartedAt: milliseconds.optional(),
  }),
  output: session,
  errors: [...AGENT_ID_ERRORS, ...TEXT_ERRORS, 'SESSION_INVALID', 'SESSION_CONFLICT', 'AGENT_NOT_FOUND'],
  faces: {},
})

export const endSession = operation({
  name: 'sessions.end',
  summary: 'End a session: what it consumed is confirmed, the rest given back.',
  input: z.object({ id: z.string() }),
  output: session,
  errors: ['SESSION_INVALID', 'SESSION_NOT_FOUND'],
  faces: {},
})

export const listSessions = operation({
  name: 'sessions.list',
  summary: 'List sessions that have not ended, and whether their hosts live.',
  input: z.object({ agent: agentId.optional() }),
  output: z.array(liveSession),
  errors: AGENT_ID_ERRORS,
  faces: {},
})
