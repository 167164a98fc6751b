import type { ReadBus } from '../../model/bus/bus.ts'
import type { BusEntry, BusPlace } from '../../model/bus/entry.ts'
import { canonicalMsgId } from '../../model/bus/legacy-id.ts'
import { meaningOf, parseFilterType } from '../../model/bus/meaning.ts'
import { parseBusId, parsePlace } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'

const DEFAULT_LIMIT = 1_000
const MAX_LIMIT = 10_000
const MAX_TYPES = 100

/** What somebody asks for, with everything said. */
export interface Wanted {
  /** The bus; or that of the project and that of the task, in this order. */
  readonly places: readonly BusPlace[]
  readonly filter: EntryFilter
  readonly limit: number
  /** How many of the last ones; undefined: all. */
  readonly tail: number | undefined
  /** Empty: from the beginning. */
  readonly after: string
}

export interface EntryFilter {
  readonly types?: readonly string[]
  readonly issue_id?: string
  readonly run_id?: string
}

export function parseWanted(input: ReadBus): Wanted {
  const { after = '', limit = DEFAULT_LIMIT, tail = 0 } = input
  if (tail > 0 && after !== '') {
    const message = '"after" and "tail" exclude each other.'
    throw new PosternError('USAGE', { message, next: 'Say where to begin, or how many of the last ones.' })
  }
  return {
    places: placesOf(input),
    filter: parseFilter(input),
    limit: requireCount('limit', limit, 1),
    tail: requireCount('tail', tail, 0) === 0 ? undefined : tail,
    after,
  }
}

function placesOf(input: ReadBus): readonly BusPlace[] {
  const place = parsePlace(input)
  const isMerged = input.merged === true && place.task_id !== undefined
  return isMerged ? [{ project_id: place.project_id }, place] : [place]
}

function parseFilter({ types = [], issue_id, run_id }: ReadBus): EntryFilter {
  requireCount('number of types', types.length, 0, MAX_TYPES)
  return {
    ...(types.length > 0 && { types: types.map(parseFilterType) }),
    ...(issue_id !== undefined && { issue_id: canonicalMsgId(parseBusId('issue_id', issue_id)) }),
    ...(run_id !== undefined && { run_id: parseBusId('run_id', run_id) }),
  }
}

export function isFiltered(filter: EntryFilter): boolean {
  return Object.keys(filter).length > 0
}

/** An issue that has no id of its own is called by its entry's. */
export function isWanted(entry: BusEntry, { types, issue_id, run_id }: EntryFilter): boolean {
  if (types && !types.includes(meaningOf(entry.type))) return false
  if (issue_id !== undefined && canonicalMsgId(entry.issue_id ?? entry.msg_id) !== issue_id) return false
  return run_id === undefined || entry.run_id === run_id
}

function requireCount(field: string, value: number, min: number, max: number = MAX_LIMIT): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new PosternError('VALUE_INVALID', { field, value, next: `Use a whole number from ${min} to ${max}.` })
}
