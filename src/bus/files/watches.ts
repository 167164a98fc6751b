import { type FSWatcher, lstatSync, statSync, watch as watchFolder } from 'node:fs'
import { basename } from 'node:path'
import { sleep } from '../../kit/clock/sleep.ts'
import type { Location } from './places.ts'

export interface ChangedOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** The kernel may drop events, and has none of what another machine writes to a shared disk. */
const POLL_MS = 1_000
/** Where the folder cannot be watched: it is not there yet, or the machine has no watches left. */
const BLIND_POLL_MS = 250
/** Who follows a bus asks again at once, and must not set up everything anew. */
const LINGER_MS = 5_000

/** Those who wait for changes of buses. */
export class Watches {
  readonly #watches = new Map<string, Watch>()
  #isClosed = false

  /** Resolves at the first change of one of them that comes after the call, or when the time or the wish is over. */
  changed(locations: readonly Location[], { timeoutMs, signal }: ChangedOptions): Promise<void> {
    if (this.#isClosed || signal?.aborted === true) return Promise.resolve()
    return sleep(timeoutMs, {
      signal,
      subscribe: (wake) => {
        const leave = locations.map((location) => this.#watch(location).add(wake))
        return () => {
          for (const each of leave) each()
        }
      },
    })
  }

  /** Says that this process has written to a bus. */
  tell({ path }: Location): void {
    this.#watches.get(path)?.look()
  }

  /** Lets everybody go. */
  close(): void {
    this.#isClosed = true
    for (const watch of this.#watches.values()) watch.close()
  }

  #watch(location: Location): Watch {
    const known = this.#watches.get(location.path)
    if (known) return known
    const watch = new Watch(location, () => this.#watches.delete(location.path))
    this.#watches.set(location.path, watch)
    return watch
  }
}

interface Waiting {
  /** How the file was when the wait began. */
  readonly stamp: string | undefined
  readonly tell: () => void
}

/** One bus that somebody waits for. It is compared with what it was, so that no event need be trusted. */
class Watch {
  readonly #location: Location
  readonly #onClose: () => void
  readonly #waiting = new Set<Waiting>()
  #watcher: FSWatcher | undefined
  #folder: string | undefined
  #poll: NodeJS.Timeout | undefined
  #linger: NodeJS.Timeout | undefined

  constructor(location: Location, onClose: () => void) {
    this.#location = location
    this.#onClose = onClose
  }

  /** Adds somebody, and returns how to leave. */
  add(tell: () => void): () => void {
    clearTimeout(this.#linger)
    if (this.#poll === undefined) this.#begin()
    const waiting: Waiting = { stamp: stampOf(this.#location.path), tell }
    this.#waiting.add(waiting)
    return () => {
      this.#waiting.delete(waiting)
      if (this.#waiting.size === 0) this.#rest()
    }
  }

  look(): void {
    const stamp = stampOf(this.#location.path)
    for (const waiting of [...this.#waiting]) if (waiting.stamp !== stamp) waiting.tell()
  }

  close(): void {
    for (const { tell } of [...this.#waiting]) tell()
    clearTimeout(this.#poll)
    clearTimeout(this.#linger)
    this.#stopWatching()
    this.#onClose()
  }

  #begin(): void {
    this.#watchFolder()
    this.#poll = setTimeout(
      () => {
        this.#begin()
        this.look()
      },
      this.#watcher ? POLL_MS : BLIND_POLL_MS,
    ).unref()
  }

  #rest(): void {
    clearTimeout(this.#poll)
    this.#poll = undefined
    clearTimeout(this.#linger)
    this.#linger = setTimeout(() => this.close(), LINGER_MS).unref()
  }

  /** A watch belongs to a folder, not to its path: it is deaf once another folder lies there. */
  #watchFolder(): void {
    const { folder, path } = this.#location
    const identity = identityOf(folder)
    if (this.#watcher && identity === this.#folder) return
    this.#stopWatching()
    if (identity === undefined) return
    const name = basename(path)
    try {
      const watcher = watchFolder(folder, { persistent: false }, (_, changed) => {
        if (changed === null || changed === name) this.look()
      })
      watcher.on('error', () => this.#stopWatching())
      this.#watcher = watcher
      this.#folder = identity
    } catch {
      // It has gone again, or the machine has no watches left; what is polled is seen all the same.
    }
  }

  #stopWatching(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }
}

/** What changes with every write, rotation and replacement. */
function stampOf(path: string): string | undefined {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stat && `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`
  } catch {
    return undefined
  }
}

function identityOf(folder: string): string | undefined {
  try {
    const stat = statSync(folder, { bigint: true, throwIfNoEntry: false })
    return stat && `${stat.dev} ${stat.ino}`
  } catch {
    return undefined
  }
}
