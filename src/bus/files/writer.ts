import { basename } from 'node:path'
import { nextTurn } from '../../kit/node/event-loop.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { sleepSync } from '../../kit/node/sleep-sync.ts'
import type { AppendedEntry } from '../bus-shelf.ts'
import type { FormattedEntry } from '../codec/format.ts'
import { NextMsgIds } from '../codec/msg-id.ts'
import { Sheet } from '../codec/sheet.ts'
import { setAside } from './archives.ts'
import { type Author, type Composed, type Continued, compose, type Waiting, writeWhole } from './commit.ts'
import type { DiskWait } from './disk-wait.ts'
import { endOf, latestId } from './end.ts'
import { KeptFile, type LockedFile } from './locked-file.ts'
import { syncNames } from './open-file.ts'
import type { Location } from './places.ts'
import type { Written } from './positions.ts'
import { onFile, troubleWith } from './trouble.ts'
import { Volumes, volumeOf } from './volumes.ts'

export interface WriterOptions {
  readonly author: Author
  readonly disk: DiskWait
  readonly lockTimeoutMs: number
  /** A file that is as large is set aside before something is added to it; 0: never. */
  readonly rotateBytes: number
  /** Whether it may keep the file open for a while when it has nothing to do. */
  readonly mayLinger: () => boolean
  readonly onWritten: (last: Written) => void
  /** It has nothing to do any more and holds nothing open: whoever keeps it may forget it. */
  readonly onIdle: () => void
}

/** Bounds the time under the lock. */
const MAX_BATCH_ENTRIES = 1_000
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** For so long the file stays open after an entry. */
const IDLE_MS = 2_000
/** Who lets go of a lock and takes it again at once always comes before those that must first be woken. */
const TURN_MS = 50
const YIELD_MS = 0.2
/**
 * Whoever comes back after an entry is let in before anything else of the process is done, but for no longer than this. A turn
 * for the others takes a quarter of what a quick disk does.
 */
const MAX_BUSY_MS = 10

/** How this process has left the file. */
interface Left extends Continued {
  readonly identity: string
  readonly size: number
  /** When that was at the latest, by the clock of the system. */
  readonly before: number
}

/** Writes to one bus for the whole process: those who come while it waits for the disk share the next wait. */
export class Writer {
  readonly #location: Location
  readonly #options: WriterOptions
  readonly #file: KeptFile
  readonly #queue: Waiting[] = []
  /** Outlives the file: where that is removed, whoever read it must find what comes next to be later. */
  readonly #ids = new NextMsgIds()
  readonly #sheet = new Sheet()
  #isRunning = false
  #isClosed = false
  #left: Left | undefined
  #idle: NodeJS.Timeout | undefined
  #turnBeganAt = 0
  #yieldedAt = 0
  #turnEndedAt = 0

  constructor(location: Location, options: WriterOptions) {
    this.#location = location
    this.#options = options
    this.#file = new KeptFile(location, options.lockTimeoutMs)
  }

  append(entry: FormattedEntry): Promise<AppendedEntry> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ entry, resolve, reject })
      if (this.#isRunning) return
      this.#isRunning = true
      void this.#run()
    })
  }

  /** What is waiting is still written. */
  close(): void {
    this.#isClosed = true
    if (!this.#isRunning) this.#rest()
  }

  async #run(): Promise<void> {
    do {
      // Those who come at the same time share one wait for the disk, and so do those who come back once they are told. The
      // latter are known by coming at once; but nothing else of the process may wait for long.
      if (monotonicMs() - this.#yieldedAt > MAX_BUSY_MS) await this.#letOthersRun()
      else await undefined
      await this.#commit()
    } while (this.#queue.length > 0)
    this.#isRunning = false
    if (this.#isClosed || !this.#options.mayLinger()) this.#rest()
    else this.#restLater()
  }

  async #letOthersRun(): Promise<void> {
    await nextTurn()
    this.#yieldedAt = monotonicMs()
  }

  #restLater(): void {
    if (this.#idle) this.#idle.refresh()
    else this.#idle = setTimeout(() => this.#isRunning || this.#rest(), IDLE_MS).unref()
  }

  /** Takes what waits once it has the lock. Where that is not to be had, nobody who waits can have it. */
  async #commit(): Promise<void> {
    let batch = this.#queue
    try {
      if (this.#isTurnOver()) this.#shareLock()
      const file = this.#tryLock() ?? (await this.#lock())
      batch = this.#queue.splice(0, this.#fitting())
      const end = this.#endOf(file)
      const composed = compose(batch, end, this.#options.author, this.#sheet)
      const writing = this.#write(file, composed)
      if (writing) await writing
      this.#unlock()
      for (const { waiting, appended } of composed) waiting.resolve(appended)
    } catch (error) {
      this.#fail(batch, error)
    }
  }

  #fail(waiting: Waiting[], error: unknown): void {
    this.#left = undefined
    this.#file.close()
    const trouble = troubleWith(this.#location.path, error)
    for (const { reject } of waiting.splice(0)) reject(trouble)
  }

  /** How many of those that wait one batch takes. */
  #fitting(): number {
    let bytes = 0
    const over = this.#queue.findIndex(({ entry }, at) => {
      bytes += entry.body.length
      return at > 0 && (at >= MAX_BATCH_ENTRIES || bytes > MAX_BATCH_BYTES)
    })
    return over < 0 ? this.#queue.length : over
  }

  #isTurnOver(): boolean {
    const now = monotonicMs()
    if (now - this.#turnEndedAt >= YIELD_MS) this.#turnBeganAt = now
    return now - this.#turnBeganAt >= TURN_MS
  }

  /** A timer would take five times as long. */
  #shareLock(): void {
    sleepSync(YIELD_MS)
    this.#turnBeganAt = monotonicMs()
  }

  #tryLock(): LockedFile | undefined {
    const file = this.#file.tryLock()
    return file && this.#isSmall(file.stat) ? file : undefined
  }

  async #lock(): Promise<LockedFile> {
    for (;;) {
      const file = await this.#file.lock()
      if (this.#isSmall(file.stat) || !this.#setAside(file)) return file
      this.#file.close()
    }
  }

  #isSmall({ size }: { readonly size: number }): boolean {
    const { rotateBytes } = this.#options
    return rotateBytes <= 0 || size < rotateBytes
  }

  /** Where that cannot be done, the entries matter more. */
  #setAside(file: LockedFile): boolean {
    try {
      setAside(this.#location, file)
      return true
    } catch {
      return false
    }
  }

  /** Where nobody else has written since, there is nothing to look at. */
  #endOf({ fd, identity, stat }: LockedFile): Continued {
    const left = this.#left
    if (left?.identity === identity && left.size === stat.size && stat.mtimeMs <= left.before) return left
    const { place, path } = this.#location
    return onFile(path, () => {
      const { latestId, ...end } = endOf(volumeOf(basename(path), fd), place)
      return { ...end, ids: this.#ids.follow(latestId ?? this.#latestArchived()) }
    })
  }

  /** A file that begins anew goes on where the newest archive ends. Where that cannot be read, the entries matter more. */
  #latestArchived(): string | undefined {
    const volumes = new Volumes(this.#location)
    try {
      const archive = volumes.newest && volumes.before(volumes.newest)
      return archive && latestId(archive, this.#location.place)
    } catch {
      return undefined
    } finally {
      volumes.close()
    }
  }

  /** Undefined where it was done at once. */
  #write(file: LockedFile, composed: readonly Composed[]): Promise<void> | undefined {
    const last = composed.at(-1)
    if (!last) return undefined
    if (file.stat.size === 0) syncNames(this.#location)
    const note = () => this.#note({ identity: file.identity, size: file.stat.size }, last)
    const writing = writeWhole(this.#location.path, file, this.#sheet.bytes, this.#options.disk)
    if (writing) return writing.then(note)
    note()
    return undefined
  }

  /** What is on the sheet stands behind what was there before. */
  #note({ identity, size }: Pick<Left, 'identity' | 'size'>, { appended, at }: Composed): void {
    const now = size + this.#sheet.length
    this.#left = { identity, size: now, before: Date.now() + 1, closing: '', torn: undefined, ids: this.#ids }
    this.#options.onWritten({ id: appended.msg_id, identity, offset: size + at })
  }

  #unlock(): void {
    this.#file.unlock()
    this.#turnEndedAt = monotonicMs()
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#file.close()
    this.#left = undefined
    this.#options.onIdle()
  }
}
