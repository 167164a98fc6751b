import { closeSync, fstatSync, lstatSync, type Stats } from 'node:fs'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { lockDescriptor, tryLockDescriptor, unlockDescriptor } from '../../kit/node/native/flock.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { openToAppend } from './open-file.ts'
import type { Location } from './places.ts'
import { onFile, troubleWith, unusable } from './trouble.ts'
import { identify } from './volumes.ts'

/**
 * A bus that is open for writing between one append and the next. Nobody else can get its inode meanwhile, so a look at
 * the path tells whether it is still the bus.
 */
export class KeptFile {
  readonly #location: Location
  readonly #timeoutMs: number
  #open: OpenFile | undefined

  constructor(location: Location, timeoutMs: number) {
    this.#location = location
    this.#timeoutMs = timeoutMs
  }

  /** Locks it where it is open, and its lock free. */
  tryLock(): LockedFile | undefined {
    const open = this.#open
    if (!open || !tryLockDescriptor(open.fd)) return undefined
    const stat = this.#look(open)
    if (!stat) this.close()
    return stat && { fd: open.fd, identity: open.identity, stat }
  }

  /**
   * Opens the file if need be and locks it. Other processes may rotate, remove or replace it while we wait, as often as
   * they like: a busy bus is rotated many times before a writer's turn comes. Only the deadline ends the wait.
   */
  async lock(): Promise<LockedFile> {
    const deadline = monotonicMs() + this.#timeoutMs
    for (;;) {
      this.#open ??= openFile(this.#location)
      const { fd, identity } = this.#open
      await this.#lockBefore(deadline, fd)
      const stat = this.#look(this.#open)
      if (stat) return { fd, identity, stat }
      this.close()
      if (monotonicMs() >= deadline) throw this.#busy()
    }
  }

  unlock(): void {
    if (this.#open && !unlockDescriptor(this.#open.fd)) this.close()
  }

  /** Lets the lock go, too. */
  close(): void {
    const open = this.#open
    this.#open = undefined
    if (open) closeSync(open.fd)
  }

  async #lockBefore(deadline: number, fd: number): Promise<void> {
    const { path } = this.#location
    try {
      if (await lockDescriptor(fd, Math.max(0, deadline - monotonicMs()))) return
    } catch (error) {
      this.close()
      throw unusable(path, `it cannot be locked: ${reasonOf(error)}`, error)
    }
    // The lock may still come, and must then go with the file.
    this.close()
    throw this.#busy()
  }

  #busy(): PosternError {
    return new PosternError('BUS_BUSY', { path: this.#location.path, seconds: this.#timeoutMs / 1000 })
  }

  /** Its state, where the path still names it. */
  #look({ ino, dev }: OpenFile): Stats | undefined {
    const { path } = this.#location
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false })
      return stat?.ino === ino && stat.dev === dev ? stat : undefined
    } catch (error) {
      this.close()
      throw troubleWith(path, error)
    }
  }
}

export interface LockedFile {
  readonly fd: number
  readonly identity: string
  readonly stat: Stats
}

interface OpenFile extends Pick<Stats, 'ino' | 'dev'> {
  readonly fd: number
  readonly identity: string
}

function openFile(location: Location): OpenFile {
  const fd = openToAppend(location)
  const { ino, dev } = fstatSync(fd)
  return { fd, ino, dev, identity: identify({ ino, dev }) }
}

/** Does something to a bus under its lock. */
export async function underLock<T>(location: Location, timeoutMs: number, act: (file: LockedFile) => T): Promise<T> {
  const kept = new KeptFile(location, timeoutMs)
  const file = await kept.lock()
  try {
    return onFile(location.path, () => act(file))
  } finally {
    kept.close()
  }
}
