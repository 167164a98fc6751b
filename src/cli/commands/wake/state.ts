import { dirname, join } from 'node:path'
import { sha256 } from '../../../kit/node/crypto.ts'
import { makePrivateFolder } from '../../../kit/node/folders.ts'
import { readLockFile, takeLockFile } from '../../../kit/node/lock-file.ts'
import { PosternError } from '../../../model/errors.ts'

/** What one `wake` leaves behind for the next one of the same agent. */
export interface WakeState {
  readonly pid: number
  /** The offer that it was working on, if it was killed over it. */
  readonly offerId: string | null
  /** When it has woken the agent, as far as that still counts. */
  readonly wokenAt: readonly number[]
}

export interface WakeLock {
  /** As the one before has left it. */
  readonly before: WakeState
  write(state: WakeState): void
  close(): void
}

const FOLDER = 'wake'
/** Shown instead of a process id that is not written yet. */
const NOT_WRITTEN = 'that has just begun'

/** Makes sure that nobody else wakes this agent from here: two at a time would work on its mail at once. */
export async function lockWake(home: string, store: string, agent: string): Promise<WakeLock> {
  const path = join(home, FOLDER, `${agent}-${sha256(store).slice(0, 8)}.json`)
  makePrivateFolder(dirname(path))
  const lock = await takeLockFile(path)
  if (!lock) throw new PosternError('WAKE_RUNNING', { agent, pid: parseState(readLockFile(path)).pid || NOT_WRITTEN })
  const before = parseState(lock.read())
  return {
    before,
    write(state) {
      try {
        lock.write(`${JSON.stringify(state)}\n`)
      } catch {
        // On a full disk less is known later: leases end by themselves, and budgets begin anew.
      }
    },
    close: lock.close,
  }
}

/** Of one that was killed while it wrote this down there may be only a part: then nothing is known. */
function parseState(text: string): WakeState {
  try {
    const { pid, offerId, wokenAt } = JSON.parse(text)
    return {
      pid: Number(pid),
      offerId: typeof offerId === 'string' ? offerId : null,
      wokenAt: Array.isArray(wokenAt) ? wokenAt.filter(Number.isFinite) : [],
    }
  } catch {
    return { pid: 0, offerId: null, wokenAt: [] }
  }
}
