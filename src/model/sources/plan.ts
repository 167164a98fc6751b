import { PosternError } from '../errors.ts'
import type { Priority } from '../priority.ts'

/** What happens to instants at which nobody could fire: the latest of them fires, none, or each. */
export const MISSED_POLICIES = ['once', 'skip', 'all'] as const
export type MissedPolicy = (typeof MISSED_POLICIES)[number]

/**
 * A message that an agent sets for later. It fires once per instant, on however many servers.
 *
 *   waiting ─fires→ waiting (a recurring one) · done (any other) · ─pause→ paused ─resume→ waiting
 */
export interface Plan {
  readonly id: string
  /** Whose plan it is, and whose inbox it comes to. */
  readonly agent: string
  /** One of its name an agent. */
  readonly name: string
  readonly instruction: string
  readonly priority: Priority
  /** Five fields; null for a plan that fires once. */
  readonly cron: string | null
  /** The IANA zone in which a cron expression is read. */
  readonly zone: string
  readonly missed: MissedPolicy
  /** A gate that must not be open any more when it fires. */
  readonly gateId: string | null
  /** When it fires next; null where it never will by itself. */
  readonly nextRunAt: number | null
  readonly pausedAt: number | null
  readonly lastRunAt: number | null
  readonly runs: number
  /** Who wrote its instruction: the message that it fires is theirs. */
  readonly createdBy: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Counted up with every change. */
  readonly revision: number
}

export function parseMissedPolicy(value: unknown): MissedPolicy {
  const policy = MISSED_POLICIES.find((each) => each === value)
  if (policy) return policy
  throw new PosternError('VALUE_INVALID', {
    field: 'policy for missed instants',
    value,
    next: `Use one of ${MISSED_POLICIES.join(', ')}.`,
  })
}

/** The dedup key of one firing: the seed's `planId + scheduledAt`. */
export function firingKey(planId: string, scheduledAt: number): string {
  return `${planId}+${new Date(scheduledAt).toISOString()}`
}
