import { BUS_TYPE_ALIASES } from '../../model/bus/entry.ts'

const ALIASES = Object.entries(BUS_TYPE_ALIASES)

/** What an older name of a type means. */
export function canonicalType(type: string): string {
  for (const [older, meaning] of ALIASES) if (older === type) return meaning
  return type
}
