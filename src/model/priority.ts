import { PosternError } from './errors.ts'

/** 0 is the most urgent. Seeds with scales of their own are mapped onto this one where they come in. */
export const PRIORITIES = ['critical', 'high', 'normal', 'low', 'fyi'] as const

export type Priority = 0 | 1 | 2 | 3 | 4

export const CRITICAL: Priority = 0
export const NORMAL: Priority = 2

/** Accepts a number from 0 to 4, its decimal digit, or its name. */
export function parsePriority(value: unknown): Priority {
  if (isPriority(value)) return value
  if (typeof value === 'string') {
    const named = PRIORITIES.indexOf(value as (typeof PRIORITIES)[number])
    if (named >= 0) return named as Priority
    if (/^[0-4]$/.test(value)) return Number(value) as Priority
  }
  throw new PosternError('PRIORITY_INVALID', { value })
}

export function isPriority(value: unknown): value is Priority {
  return value === 0 || value === 1 || value === 2 || value === 3 || value === 4
}

export function formatPriority(priority: Priority): string {
  return PRIORITIES[priority]
}
