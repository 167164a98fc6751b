import type { ErrorCode } from '../../model/errors.ts'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from '../errors.ts'

/** How a ledger that was configured may be of no use. */
export const LEDGER_USE_ERRORS = [
  'CONFIG_INVALID',
  'LEDGER_CONFIG_INVALID',
  'LEDGER_DRIVER_MISSING',
  'LEDGER_KEY_INVALID',
] as const satisfies readonly ErrorCode[]

/** How something may be refused before it is written down to be published. */
export const PUBLISH_ERRORS = [
  ...LEDGER_USE_ERRORS,
  'LEDGER_BUDGET_SPENT',
  'LEDGER_MEMO_INVALID',
  'LEDGER_MESSAGE_TOO_LARGE',
  'LEDGER_NOT_SET_UP',
  'LEDGER_REFUSED',
  'LEDGER_SECRET_FOUND',
  'LEDGER_TOPIC_DELETED',
  'LEDGER_UNREACHABLE',
] as const satisfies readonly ErrorCode[]

/** How the name of a topic, or of the work item whose topic it is, may be refused. */
export const TOPIC_ERRORS = [
  'ENTITY_INVALID',
  'LEDGER_ID_INVALID',
  'LEDGER_TOPIC_NOT_FOUND',
] as const satisfies readonly ErrorCode[]

/** How a message into an inbox may be refused, in whatever words it was asked for. */
export const DELIVERY_ERRORS = [
  ...AGENT_ID_ERRORS,
  ...TEXT_ERRORS,
  'AGENT_NOT_FOUND',
  'CONTENT_EMPTY',
  'DEDUP_CONFLICT',
  'INBOX_FULL',
  'NOT_ALLOWED',
  'SEED_PRIORITY_INVALID',
  'TYPE_INVALID',
  'USAGE',
  'VALUE_INVALID',
] as const satisfies readonly ErrorCode[]
