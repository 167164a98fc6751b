import { BLOCK, neutralise } from '../render/neutralise.ts'

/** A value whose texts cannot pose as anything but texts: hosts hand structured content to models as it is. */
export function harmless(value: unknown): unknown {
  if (typeof value === 'string') return neutralise(value, BLOCK)
  if (Array.isArray(value)) return value.map(harmless)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [neutralise(name, BLOCK), harmless(each)]))
}
