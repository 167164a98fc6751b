import { PosternError } from '../errors.ts'
import type { Priority } from '../priority.ts'

/** Seed 003 counts from 1, urgent, to 5, for information only. */
export type SeedPriority = 1 | 2 | 3 | 4 | 5

export const SEED_NORMAL: SeedPriority = 3
/** Up to here a message is put into the inbox at once, however slow its ledger is. */
export const SEED_HIGH: SeedPriority = 2

export function parseSeedPriority(value: unknown): SeedPriority {
  if (value === 1 || value === 2 || value === 3 || value === 4 || value === 5) return value
  throw new PosternError('SEED_PRIORITY_INVALID', { value })
}

export function fromSeedPriority(priority: SeedPriority): Priority {
  return (priority - 1) as Priority
}

export function toSeedPriority(priority: Priority): SeedPriority {
  return (priority + 1) as SeedPriority
}
