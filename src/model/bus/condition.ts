import { PosternError } from '../errors.ts'
import type { Json } from '../json.ts'
import type { BusEntry, BusPlace } from './entry.ts'
import { meaningOf, parseEntryType } from './meaning.ts'
import { parsePlaceName, placeName } from './place.ts'

/**
 * What a gate of the kind `bus` waits for: an entry on a bus that says certain things. Written `conductor`,
 * `conductor/task-docs`, or `conductor/task-docs?type=ANSWER&parent=MSG-…`, where characters are escaped as in a URL.
 */
export interface BusCondition {
  readonly place: BusPlace
  readonly where: readonly Wanted[]
  /** Only what comes after this entry counts; empty: everything. Absent: not said. */
  readonly after?: string
}

/** A field of the entry, or a path into its meta such as `meta.status`, and what must be found there. */
type Wanted = readonly [field: string, value: string]

const FIELDS = ['type', 'issue_id', 'run_id', 'from', 'parent'] as const
const AFTER = 'after'
const META = 'meta.'

export function parseBusCondition(text: string): BusCondition {
  const [name = '', ...rest] = text.split('?')
  const place = parsePlaceName(name)
  const pairs = rest.length === 0 ? [] : rest.join('?').split('&').map(parseWanted)
  const after = pairs.findLast(([field]) => field === AFTER)?.[1]
  const where = pairs.filter(([field]) => field !== AFTER)
  return { place, where, ...(after !== undefined && { after }) }
}

export function formatBusCondition({ place, where, after }: BusCondition): string {
  const pairs = [...where, ...(after === undefined ? [] : [[AFTER, after] as const])]
  // Others may have written half a character into an id; nothing else has such a name, so nothing is mistaken for it.
  const wanted = pairs.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='))
  return wanted.length === 0 ? placeName(place) : `${placeName(place)}?${wanted.join('&')}`
}

/** Whether an entry is what is waited for. What the held agent wrote itself counts only where it is asked for by name. */
export function isMetBy({ where }: BusCondition, entry: BusEntry, held: string): boolean {
  const isNamed = where.some(([field]) => field === 'from')
  if (!isNamed && entry.meta?.['from'] === held) return false
  return where.every(([field, value]) => isFound(entry, field, value))
}

function isFound(entry: BusEntry, field: string, value: string): boolean {
  if (field === 'type') return meaningOf(entry.type) === value
  if (field === 'parent') return entry.parents?.some(({ msg_id }) => msg_id === value) ?? false
  if (field === 'issue_id') return (entry.issue_id ?? entry.msg_id) === value
  if (field === 'run_id') return entry.run_id === value
  return valueAt(entry.meta, field === 'from' ? field : field.slice(META.length)) === value
}

/** As JSON writes it; undefined where there is nothing, or more than a value. */
function valueAt(meta: BusEntry['meta'], path: string): string | undefined {
  const found = path.split('.').reduce<Json | undefined>(memberOf, meta)
  return found === undefined || (typeof found === 'object' && found !== null) ? undefined : String(found)
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.prototype.propertyIsEnumerable.call(value, name))
    return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}

function parseWanted(text: string): Wanted {
  const at = text.indexOf('=')
  try {
    const [field, value] = [decodeURIComponent(text.slice(0, Math.max(at, 0))), decodeURIComponent(text.slice(at + 1))]
    const isKnown = FIELDS.some((each) => each === field) || (field.startsWith(META) && field !== META)
    if (field === AFTER || isKnown) return [field, field === 'type' ? parseEntryType(value) : value]
  } catch (error) {
    if (error instanceof PosternError) throw error
    // What cannot be decoded is refused below.
  }
  const next = `Write what the entry must say as field=value, with ${FIELDS.join(', ')}, meta.<name> or ${AFTER}.`
  throw new PosternError('VALUE_INVALID', { field: 'condition', value: text, next })
}
