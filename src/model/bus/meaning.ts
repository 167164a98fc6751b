import { PosternError } from '../errors.ts'
import { BUS_TYPE_ALIASES } from './entry.ts'

const TYPE = /^[A-Z][A-Z0-9_]{0,63}$/

/** A type as it is written: in capitals, and never by an older name. */
export function parseEntryType(value: unknown): string {
  const type = typeof value === 'string' ? meaningOf(value.trim()) : ''
  if (TYPE.test(type)) return type
  throw new PosternError('BUS_TYPE_INVALID', { type: JSON.stringify(value) })
}

/** What a type stands for, whoever wrote it. */
export function meaningOf(type: string): string {
  const name = type.toUpperCase()
  return Object.hasOwn(BUS_TYPE_ALIASES, name) ? (BUS_TYPE_ALIASES[name] ?? name) : name
}
