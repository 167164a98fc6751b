import { PosternError } from '../errors.ts'
import { BUS_TYPE_ALIASES } from './entry.ts'

const TYPE = /^[A-Z][A-Z0-9_]{0,63}$/

/** One-line records of other programs have such types too. They are read and never written. */
const READ_TYPE = /^[A-Z0-9_/-]{1,128}$/

/** A type as it is written: in capitals, and never by an older name. */
export function parseEntryType(value: unknown): string {
  return parseType(value, TYPE)
}

/** A type of entries to read. */
export function parseFilterType(value: unknown): string {
  return parseType(value, READ_TYPE)
}

function parseType(value: unknown, form: RegExp): string {
  const type = typeof value === 'string' ? meaningOf(value.trim()) : ''
  if (form.test(type)) return type
  throw new PosternError('BUS_TYPE_INVALID', { type: value })
}

/** What a type stands for, whoever wrote it. */
export function meaningOf(type: string): string {
  const name = type.toUpperCase()
  return Object.hasOwn(BUS_TYPE_ALIASES, name) ? (BUS_TYPE_ALIASES[name] ?? name) : name
}
