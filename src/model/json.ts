/** A JSON value, as payloads and contexts carry it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const MAX_DEPTH = 32

/** True for plain data of bounded depth: no functions, no cycles, no numbers that JSON cannot write. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return false
  const members = Array.isArray(value) ? value : Object.values(value)
  return members.every((member) => isJson(member, depth + 1))
}

/** Whether every store and every file can hold it as it is. */
export function isStorable(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member))
}
