import { formatText, quote } from '../../../kit/pure/yaml-text.ts'
import type { Json } from '../../../model/json.ts'
import { formatNumber } from './scalar.ts'

const INDENT = '  '
/** Above it other readers refuse a key. */
const MAX_KEY_CHARACTERS = 1_000
const MAX_DEPTH = 32

/** A value that a header cannot hold, told as the end of a sentence. */
export class Unwritable extends Error {}

/** `key: value` in block style, each scalar on one line, in a form that every YAML reads alike. */
export function formatField(key: string, value: Json, indent = '', depth = 0): string {
  return `${indent}${formatKey(key)}:${formatBelow(value, `${indent}${INDENT}`, depth)}`
}

/** The lines of a value that follows a colon or a dash. */
function formatBelow(value: Json, indent: string, depth: number): string {
  if (typeof value !== 'object' || value === null) return ` ${formatScalar(value)}\n`
  if (depth >= MAX_DEPTH) throw new Unwritable(`it is nested more than ${MAX_DEPTH} deep`)
  const lines = Array.isArray(value)
    ? value.map((item: Json) => formatItem(item, indent, depth + 1))
    : Object.entries(value).map(([key, member]) => formatField(key, member, indent, depth + 1))
  if (lines.length === 0) return Array.isArray(value) ? ' []\n' : ' {}\n'
  return `\n${lines.join('')}`
}

/** The first key of a map stands behind the dash, as people write it. */
function formatItem(item: Json, indent: string, depth: number): string {
  const below = formatBelow(item, `${indent}${INDENT}`, depth)
  const isFilledMap = below.startsWith('\n') && !Array.isArray(item)
  return isFilledMap ? `${indent}- ${below.slice(1 + indent.length + INDENT.length)}` : `${indent}-${below}`
}

function formatKey(key: string): string {
  if (key.length > MAX_KEY_CHARACTERS) throw new Unwritable(`a name in it is longer than ${MAX_KEY_CHARACTERS}`)
  const text = formatScalar(key)
  return /^[A-Za-z0-9_.-]+$/.test(text) || text.startsWith('"') ? text : quote(key)
}

export function formatScalar(value: Json): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Unwritable('a text in it has a lone surrogate')
    return formatText(value)
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Unwritable('a number in it is not finite')
    return formatNumber(value)
  }
  if (value === null || typeof value === 'boolean') return String(value)
  throw new Unwritable('a value in it is not JSON')
}
