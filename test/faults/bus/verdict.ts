import { parseMsgId } from '../../../src/bus/codec/msg-id.ts'
import { openBusShelf } from '../../../src/bus/file-bus-shelf.ts'
import type { BusFault, BusPage } from '../../../src/model/bus/bus.ts'
import type { BusEntry } from '../../../src/model/bus/entry.ts'
import { PosternError } from '../../../src/model/errors.ts'
import { ALL, TASK } from '../../helpers/bus/bus-files.ts'
import type { Acknowledged } from './crew.ts'

/** What is wrong with a bus, by those who wrote to it. */
export interface Verdict {
  readonly entries: number
  /** Acknowledged, and not there, or under another id. */
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  /** Ids that are not greater than the one before. */
  readonly notRising: readonly string[]
  /** Entries of one lane that do not stand in the order in which they were posted. */
  readonly reordered: readonly string[]
  /** Faults that no death explains. */
  readonly strange: readonly BusFault[]
  readonly torn: number
}

/** Reads all of a bus and compares it with what was acknowledged. */
export async function judge(root: string, acknowledged: readonly Acknowledged[]): Promise<Verdict> {
  const { items, faults } = await readAll(root)
  const byKey = Map.groupBy(items, keyOf)
  return {
    entries: items.length,
    lost: acknowledged.filter(({ key, msg_id }) => byKey.get(key)?.[0]?.msg_id !== msg_id).map(({ key }) => key),
    twice: [...byKey].filter(([, entries]) => entries.length > 1).map(([key]) => key),
    notRising: notRisingOf(items),
    reordered: reorderedOf(items),
    strange: faults.filter(({ reason }) => !isTorn(reason)),
    torn: faults.filter(({ reason }) => isTorn(reason)).length,
  }
}

/** A bus that is not there has lost everything. */
async function readAll(root: string): Promise<Pick<BusPage, 'items' | 'faults'>> {
  const shelf = openBusShelf({ root })
  try {
    return await shelf.read(TASK, ALL)
  } catch (error) {
    if (error instanceof PosternError && error.code === 'BUS_NOT_FOUND') return { items: [], faults: [] }
    throw error
  } finally {
    shelf.close()
  }
}

/** The first line of a body names it. */
function keyOf({ body }: BusEntry): string {
  return body.split('\n')[0] ?? ''
}

/** A body that was cut off and closed is another than its header says; a few dashes that a death left belong to nothing. */
function isTorn(reason: string): boolean {
  return /cut off|its body is not|belongs to no entry/.test(reason)
}

function notRisingOf(items: readonly BusEntry[]): string[] {
  const times = items.map(({ msg_id }) => parseMsgId(msg_id)?.time ?? '')
  return items.flatMap(({ msg_id }, at) => (at === 0 || (times[at] ?? '') > (times[at - 1] ?? '') ? [] : [msg_id]))
}

function reorderedOf(items: readonly BusEntry[]): string[] {
  const last = new Map<string, number>()
  return items.flatMap((entry) => {
    const key = keyOf(entry)
    const at = key.lastIndexOf('.')
    const [lane, nth] = [key.slice(0, at), Number(key.slice(at + 1))]
    const isAfter = nth > (last.get(lane) ?? -1)
    last.set(lane, nth)
    return isAfter ? [] : [key]
  })
}
