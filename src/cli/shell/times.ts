import { formatDuration, parseDuration } from '../../kit/pure/duration.ts'
import { PosternError } from '../../model/errors.ts'

/** How long ago, for people. */
export function ago(at: number, now: number): string {
  const ms = now - at
  if (ms < 1_000) return 'just now'
  return `${formatDuration(Math.floor(ms / 1_000) * 1_000)} ago`
}

export function requireDuration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new PosternError('DURATION_INVALID', { value: text, limit: '366 days' })
  return ms
}
