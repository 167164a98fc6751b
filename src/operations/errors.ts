import type { ErrorCode } from '../model/errors.ts'

/** How an id that names an agent may be refused, whoever it is. */
export const AGENT_ID_ERRORS = ['AGENT_ID_INVALID', 'AGENT_ID_RESERVED'] as const satisfies readonly ErrorCode[]

/** How a text of bounded length may be refused. */
export const TEXT_ERRORS = ['CONTENT_TOO_LARGE', 'TEXT_INVALID'] as const satisfies readonly ErrorCode[]
