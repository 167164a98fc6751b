import { isNull } from '../../kit/pure/yaml-text.ts'
import { countParts, MAX_PARTS, NoStrictMap, readStrictMap, type YamlValue } from '../../kit/yaml/strict-map.ts'
import { type Fields, readUsualFields } from './usual-fields.ts'

/** The fields above an item, all of them as texts; undefined where they are no YAML map that says a thing in one way only. */
export function readFields(text: string): Fields | undefined {
  return readUsualFields(text) ?? readStrictFields(text)
}

export function readStrictFields(text: string): Fields | undefined {
  if (countParts(text) > MAX_PARTS) return undefined
  try {
    const pairs = readStrictMap(text, { resolve: (plain) => (isNull(plain) ? null : plain) })
    return new Map(pairs.map(([key, value]) => [key, textOf(value)]))
  } catch (error) {
    if (error instanceof NoStrictMap) return undefined
    throw error
  }
}

/** Nothing of ours is a list or a map; those of others are kept in a form that can be told again. */
function textOf(value: YamlValue): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value)
}
