import { z } from 'zod'
import { AGENT_KINDS } from '../model/agent.ts'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agent, agentId, agentStatus } from './schemas.ts'

const id = z.object({ id: agentId })

export const AGENT_OPERATIONS = {
  'agents.add': {
    summary: 'Register an agent or a person, so that messages can reach it.',
    input: id.extend({
      kind: z.enum(AGENT_KINDS).optional(),
      displayName: z.string().optional(),
      isOwner: z.boolean().optional(),
      withBroadcasts: z.boolean().optional(),
      restore: z.boolean().optional(),
    }),
    output: agent,
    errors: [
      ...AGENT_ID_ERRORS,
      ...TEXT_ERRORS,
      'AGENT_EXISTS',
      'AGENT_CONFUSABLE',
      'AGENT_REMOVED',
      'NOT_ALLOWED',
      'VALUE_INVALID',
    ],
  },
  'agents.list': {
    summary: 'List who there is.',
    input: z.object({
      removed: z.boolean().optional(),
      search: z.string().optional(),
      limit: z.number().int().optional(),
      after: agentId.optional(),
    }),
    output: z.array(agentStatus),
    errors: [...AGENT_ID_ERRORS, 'VALUE_INVALID'],
  },
  'agents.show': {
    summary: 'Show one agent.',
    input: id,
    output: agentStatus,
    errors: [...AGENT_ID_ERRORS, 'AGENT_NOT_FOUND'],
  },
  'agents.rename': {
    summary: 'Change the name that is shown; the id never changes.',
    input: id.extend({ displayName: z.string() }),
    output: agent,
    errors: [...AGENT_ID_ERRORS, ...TEXT_ERRORS, 'AGENT_NOT_FOUND', 'AGENT_CONFUSABLE', 'NOT_ALLOWED'],
  },
  'agents.remove': {
    summary: 'Retire an agent; its id is never given to another.',
    input: id,
    output: agent,
    errors: [...AGENT_ID_ERRORS, 'AGENT_NOT_FOUND', 'NOT_ALLOWED'],
  },
} satisfies DeclarationsOf<'agents'>
