import type { ErrorCode } from '../model/errors.ts'

/** How an id that names an agent may be refused, whoever it is. */
export const AGENT_ID_ERRORS = ['AGENT_ID_INVALID', 'AGENT_ID_RESERVED'] as const satisfies readonly ErrorCode[]

/** How a text of bounded length may be refused. */
export const TEXT_ERRORS = ['CONTENT_TOO_LARGE', 'TEXT_INVALID'] as const satisfies readonly ErrorCode[]

/** How an id that names a space may be refused. */
export const SPACE_ERRORS = ['SPACE_ID_INVALID', 'SPACE_NOT_FOUND'] as const satisfies readonly ErrorCode[]

/** How a push may be refused because it is a post in a space. */
export const POST_ERRORS = [
  ...SPACE_ERRORS,
  'SPACE_CLOSED',
  'SPACE_NOT_MEMBER',
  'USAGE',
] as const satisfies readonly ErrorCode[]
