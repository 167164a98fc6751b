import { sleep } from '../../kit/clock/sleep.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { lockDescriptor, unlockDescriptor } from '../../kit/node/native/flock.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import type { Scanned } from '../codec/scanned.ts'
import { scanFrom } from './pieces.ts'
import { type Volume, volumeOf } from './volumes.ts'

/** Writers are done sooner, unless they hang. */
const PATIENCE_MS = 200
const PAUSE_MS = 5

/**
 * True where somebody may still be writing the last item of a file: what is cut off may be half written, and so may be an
 * entry that does not say how long it is. Whoever read on after it would never see the rest.
 */
export function isUnfinished(item: Scanned): boolean {
  return item.closing !== undefined || (item.kind === 'entry' && item.isOpen === true)
}

/** Such an item as its writer leaves it; undefined where somebody is still at it. */
export async function awaitFinished(item: Scanned, volume: Volume, place: BusPlace): Promise<Scanned | undefined> {
  const deadline = monotonicMs() + PATIENCE_MS
  for (;;) {
    const free = await lookUnderLock(volume)
    const now = free ?? volumeOf(volume.name, volume.fd)
    const seen = now.size === volume.size ? item : scanFrom(now, item.start, place).items[0]
    if (free || (seen && !isUnfinished(seen))) return seen
    if (monotonicMs() >= deadline) return undefined
    await sleep(PAUSE_MS)
  }
}

/** The file while nobody writes to it; undefined where somebody may be about to. */
async function lookUnderLock({ name, fd }: Volume): Promise<Volume | undefined> {
  let isLocked: boolean
  try {
    isLocked = await lockDescriptor(fd, 0)
  } catch {
    // Where there are no locks nobody can tell.
    return volumeOf(name, fd)
  }
  if (!isLocked) return undefined
  try {
    return volumeOf(name, fd)
  } finally {
    unlockDescriptor(fd)
  }
}
