import { createHash } from 'node:crypto'

/** A statement as PostgreSQL wants it: parameters as `$1`, and a name under which each connection parses it once. */
export interface Statement {
  readonly name: string
  readonly text: string
}

const known = new Map<string, Statement>()

/** The shelves' texts are constant but for their own words, so there are few of them and all are kept. */
export function statementOf(text: string): Statement {
  const cached = known.get(text)
  if (cached) return cached
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  const statement = { name: `postern_${hash}`, text: text.replace(/\?(\d+)/g, '$$$1') }
  known.set(text, statement)
  return statement
}

/** An array as one parameter. The driver's own conversion takes several times as long. */
export function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map(formatElement).join(',')}}`
}

function formatElement(value: string | number | null): string | number {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return value
  const isPlain = !value.includes('"') && !value.includes('\\')
  return isPlain ? `"${value}"` : `"${value.replace(/["\\]/g, '\\$&')}"`
}
