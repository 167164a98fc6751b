import { PosternError } from '../errors.ts'

/** An outside system that may wake one agent, with a key of its own. */
export interface Service {
  readonly id: string
  /** A slug; what it sends says that it is from this name. */
  readonly name: string
  readonly agent: string
  readonly createdBy: string
  readonly createdAt: number
  /** When its key was last made anew. */
  readonly rotatedAt: number | null
  /** Until then the key before the present one is good too. */
  readonly overlapUntilAt: number | null
  readonly revokedAt: number | null
  readonly lastEventAt: number | null
  readonly events: number
}

const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/

export function isServiceName(value: string): boolean {
  return NAME.test(value)
}

export function parseServiceName(value: string): string {
  if (isServiceName(value)) return value
  throw new PosternError('SERVICE_NAME_INVALID', { name: value })
}
