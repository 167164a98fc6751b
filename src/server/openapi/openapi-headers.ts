import type { ErrorCode } from '../../model/errors.ts'
import { inputSchema } from '../../operations/json-schema.ts'
import type { Operation } from '../../operations/operation.ts'
import { versionedRead } from '../request/etags.ts'
import { KEYED_METHODS } from '../request/idempotency.ts'
import type { ApiParameter } from './openapi.ts'

const text = { type: 'string', minLength: 1 } as const

const KEY: ApiParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request with the same key is answered once; repeating it within a day repeats the answer.',
  schema: { ...text, maxLength: 255 },
}

const IF_MATCH: ApiParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what is to be changed, as it was seen.',
  schema: text,
}

const IF_NONE_MATCH: ApiParameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what is known already.',
  schema: text,
}

/** What may stand in the headers of a request for an operation. */
export function headersOf(operation: Operation, method: string): readonly ApiParameter[] {
  const takesKey = KEYED_METHODS.includes(method) && (!operation.isSecret || operation.access.to === 'proven')
  return [
    ...(takesKey ? [KEY] : []),
    ...(isTied(operation) ? [IF_MATCH] : []),
    ...(operation.isVersioned ? [IF_NONE_MATCH] : []),
  ]
}

/** What is refused because of them. */
export function headerErrors(operation: Operation, method: string): readonly ErrorCode[] {
  const { isSecret, answersByKey } = operation
  const mayConflict = KEYED_METHODS.includes(method) && !isSecret && !answersByKey
  return [
    ...(mayConflict ? (['IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_BUSY', 'IDEMPOTENCY_LOST'] as const) : []),
    ...(isTied(operation) ? (['ETAG_MISMATCH'] as const) : []),
  ]
}

function isTied(operation: Operation): boolean {
  return versionedRead(operation) !== undefined && Object.hasOwn(inputSchema(operation).properties ?? {}, 'id')
}
