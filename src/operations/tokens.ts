import { z } from 'zod'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { milliseconds } from './schemas.ts'

const token = z.object({
  id: z.string(),
  scope: z.string().describe('admin, human:<id>, agent:<id> or service:<id>.'),
  label: z.string(),
  createdBy: z.string(),
  createdAt: milliseconds,
  expiresAt: milliseconds.nullable(),
  revokedAt: milliseconds.nullable(),
  parentId: z.string().nullable().describe('The token by which a person signed in to the page; null for others.'),
})

export const TOKEN_OPERATIONS = {
  'tokens.create': {
    summary: 'Make a token for somebody who comes over the network.',
    input: z.object({ scope: z.string(), label: z.string().optional(), ttlMs: milliseconds.optional() }),
    output: token.extend({ token: z.string().describe('It is shown this once.') }),
    errors: [
      ...AGENT_ID_ERRORS,
      ...TEXT_ERRORS,
      'SCOPE_INVALID',
      'AGENT_NOT_FOUND',
      'DURATION_INVALID',
      'NOT_ALLOWED',
      'VALUE_INVALID',
    ],
  },
  'tokens.list': {
    summary: 'List the tokens there are, without their secrets.',
    input: z.object({ revoked: z.boolean().optional() }),
    output: z.array(token),
    errors: [],
  },
  'tokens.revoke': {
    summary: 'Make a token worthless.',
    input: z.object({ id: z.string().min(1) }),
    output: token,
    errors: ['TOKEN_NOT_FOUND', 'NOT_ALLOWED'],
  },
} satisfies DeclarationsOf<'tokens'>
