import { PosternError } from '../../model/errors.ts'

const MAX_LIMIT = 1_000

/** Behind which sequence number a page begins. */
export function parseAfter(after: number | undefined): number {
  if (after === undefined) return 0
  if (Number.isSafeInteger(after) && after >= 0) return after
  throw new PosternError('VALUE_INVALID', { field: 'after', value: String(after), next: 'Use a sequence number.' })
}

export function parsePageSize(limit: number | undefined, byDefault: number, max = MAX_LIMIT): number {
  const size = limit ?? byDefault
  if (Number.isSafeInteger(size) && size >= 1 && size <= max) return size
  throw new PosternError('VALUE_INVALID', {
    field: 'limit',
    value: String(limit),
    next: `Use a number from 1 to ${max}.`,
  })
}
