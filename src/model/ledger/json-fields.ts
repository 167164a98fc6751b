import { isJson, isStorable, type Json } from '../json.ts'

/** An object that somebody has written to a ledger: whatever it names may be missing or of another kind. */
export type JsonFields = Readonly<Record<string, Json>>

/** Reads an object. Undefined where it is none, or where not every store could keep it as it is. Never throws. */
export function parseFields(text: string): JsonFields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // Each field may be as deep as a payload may be.
    return isFields(value) && Object.values(value).every((field) => isJson(field)) && isStorable(value)
      ? value
      : undefined
  } catch {
    return undefined
  }
}

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text that is there, not empty and not longer than that many UTF-16 units; else null. */
export function textOf(value: Json | undefined, maxLength: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxLength ? value : null
}

/** One text for one value, whatever the order in which its fields were written: the text that is hashed. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = value as JsonFields
  const names = Object.keys(fields).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name] ?? null)}`).join(',')}}`
}
