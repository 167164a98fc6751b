import { PosternError } from '../model/errors.ts'

/**
 * Whether the store is there and will never do what it was asked. A refusal is not an absence: gates can be judged, and
 * mail shown, by a hook that is refused its session.
 */
export function isRefusal(error: unknown): error is PosternError {
  return error instanceof PosternError && !error.retryable && !/^(?:STORE_|INTERNAL$)/.test(error.code)
}
