import type { BusEntry, BusPlace } from '../../model/bus/entry.ts'
import { PosternError } from '../../model/errors.ts'
import type { BusShelf } from '../bus-shelf.ts'

/** What a bus tells of a run. Older names of entries count as what they mean. */
export interface RunTrail {
  readonly start: BusEntry | undefined
  readonly end: BusEntry | undefined
}

const STARTS = new Set(['START', 'RUN_START'])
const ENDS = new Set(['STOP', 'CRASH', 'RUN_STOP', 'RUN_CRASH'])
const PAGE = { limit: 1_000, maxBytes: 4 * 1024 * 1024 }

/** Looks for the entries of a run after the one with an id, which need not be there, until one is found that ends it. */
export async function findTrail(shelf: BusShelf, place: BusPlace, runId: string, from: string): Promise<RunTrail> {
  let start: BusEntry | undefined
  for await (const entry of entriesOf(shelf, place, runId, from)) {
    if (STARTS.has(entry.type)) start ??= entry
    if (ENDS.has(entry.type)) return { start, end: entry }
  }
  return { start, end: undefined }
}

/** Only the entry that begins a run. */
export async function findStart(
  shelf: BusShelf,
  place: BusPlace,
  runId: string,
  from: string,
): Promise<string | undefined> {
  for await (const { type, msg_id } of entriesOf(shelf, place, runId, from)) if (STARTS.has(type)) return msg_id
  return undefined
}

async function* entriesOf(
  shelf: BusShelf,
  place: BusPlace,
  runId: string,
  from: string,
): AsyncGenerator<BusEntry, void, undefined> {
  let after = from
  for (;;) {
    const page = await readOn(shelf, place, after)
    for (const entry of page?.items ?? []) if (entry.run_id === runId) yield entry
    if (!page?.hasMore || page.cursor === null || page.cursor === after) return
    after = page.cursor
  }
}

async function readOn(shelf: BusShelf, place: BusPlace, after: string) {
  try {
    return await shelf.readOn(place, { after, ...PAGE })
  } catch (error) {
    if (error instanceof PosternError && error.code === 'BUS_NOT_FOUND') return undefined
    throw error
  }
}
