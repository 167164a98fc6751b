import { nextTurn } from '../../kit/node/event-loop.ts'
import type { BusFault, BusVerification } from '../../model/bus/bus.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { isLegacyId } from '../../model/bus/legacy-id.ts'
import { parseMsgId } from '../codec/msg-id.ts'
import type { Scanned } from '../codec/scanned.ts'
import { MAX_FAULTS } from './page.ts'
import { faultOf, scanStrictly } from './pieces.ts'
import { awaitFinished, isUnfinished } from './unfinished.ts'
import type { Volume, Volumes } from './volumes.ts'

/** Ids that do not rise are compared with all others, as long as they are few enough to be kept. */
const MAX_SUSPECTS = 100_000

/** Reads all of a bus, piece by piece. */
export async function verifyVolumes(volumes: Volumes, place: BusPlace): Promise<BusVerification> {
  const files = volumes.all()
  const order = new Order()
  const faults: BusFault[] = []
  let entries = 0
  await eachItem(files, place, (item, volume) => {
    if (item.kind === 'fault') return note(faults, faultOf(volume, item))
    entries++
    order.add(item.entry.msg_id)
  })
  const repeated = order.suspects.size === 0 ? [] : await findRepeated(files, place, order.suspects)
  for (const fault of repeated) note(faults, fault)
  return {
    ...place,
    isSound: faults.length === 0,
    entries,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    files: files.map(({ name }) => name),
    faults,
    isSorted: order.isSorted,
  }
}

/** Whether ids rise. Only where one does not can it be that of an earlier entry. */
class Order {
  isSorted = true
  readonly suspects = new Set<string>()
  #latest = ''

  add(id: string): void {
    const time = parseMsgId(id)?.time
    if (isLegacyId(id)) this.isSorted = false
    else if (time !== undefined && time > this.#latest) {
      this.#latest = time
    } else {
      if (time !== this.#latest) this.isSorted = false
      if (this.suspects.size < MAX_SUSPECTS) this.suspects.add(id)
    }
  }
}

async function findRepeated(
  files: readonly Volume[],
  place: BusPlace,
  suspects: ReadonlySet<string>,
): Promise<BusFault[]> {
  const seen = new Set<string>()
  const faults: BusFault[] = []
  await eachItem(files, place, (item, volume) => {
    const id = item.kind === 'entry' ? item.entry.msg_id : undefined
    if (id === undefined || !suspects.has(id)) return
    if (seen.has(id)) {
      const { start, end } = item
      const reason = 'its id is that of an earlier entry'
      note(faults, { file: volume.name, offset: start, bytes: end - start, msg_id: id, reason })
    }
    seen.add(id)
  })
  return faults
}

async function eachItem(
  files: readonly Volume[],
  place: BusPlace,
  visit: (item: Scanned, volume: Volume) => void,
): Promise<void> {
  for (const volume of files) {
    for (let at = 0; at < volume.size; ) {
      const { items, next } = scanStrictly(volume, at, place)
      for (const item of items) {
        const whole = isUnfinished(item) ? await awaitFinished(item, volume, place) : item
        if (whole) visit(whole, volume)
      }
      if (next <= at) break
      at = next
      await nextTurn()
    }
  }
}

function note(faults: BusFault[], fault: BusFault): void {
  if (faults.length < MAX_FAULTS) faults.push(fault)
}
