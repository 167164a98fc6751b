import { closeSync, fstatSync, lstatSync, readSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { archivesOf } from './archives.ts'
import { openToRead, requirePlainFolders } from './open-file.ts'
import type { Location } from './places.ts'
import { onFile } from './trouble.ts'

/** One file of a bus, open for reading, as long as it was then. */
export interface Volume {
  readonly name: string
  readonly fd: number
  readonly size: number
  /** By which it is known whatever it is called. */
  readonly identity: string
  readonly changedAt: number
}

/** Fewer than asked for where the file ends, or was cut meanwhile. */
export function readAt({ fd, size, name }: Volume, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - position)))
  return onFile(name, () => {
    let done = 0
    while (done < bytes.length) {
      const read = readSync(fd, bytes, done, bytes.length - done, position + done)
      if (read === 0) break
      done += read
    }
    return bytes.subarray(0, done)
  })
}

export function volumeOf(name: string, fd: number): Volume {
  const stat = fstatSync(fd)
  return { name, fd, size: stat.size, identity: identify(stat), changedAt: Math.floor(stat.mtimeMs) }
}

export function identify({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev} ${ino}`
}

function identityOf(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat && identify(stat)
}

/**
 * The files of one bus, archives before the file that is written to. Each is opened when it is needed, so that whoever
 * reads near the end opens only one.
 */
export class Volumes {
  readonly #location: Location
  readonly #opened = new Map<string, Volume>()
  readonly #live: Volume | undefined
  #archives: readonly string[] | undefined

  constructor(location: Location) {
    requirePlainFolders(location.owned)
    this.#location = location
    this.#live = this.#open(location.path)
  }

  get newest(): Volume | undefined {
    return this.#live ?? this.#nearest(this.#names().length - 1, -1)
  }

  get oldest(): Volume | undefined {
    return this.#nearest(0, 1) ?? this.#live
  }

  before(volume: Volume): Volume | undefined {
    const at = this.#names().indexOf(volume.name)
    return this.#nearest((at < 0 ? this.#names().length : at) - 1, -1)
  }

  after(volume: Volume): Volume | undefined {
    if (volume === this.#live) return undefined
    return this.#nearest(this.#names().indexOf(volume.name) + 1, 1) ?? this.#live
  }

  byIdentity(identity: string): Volume | undefined {
    let volume = this.newest
    while (volume && volume.identity !== identity) volume = this.before(volume)
    return volume
  }

  /** Oldest first. */
  all(): Volume[] {
    const volumes: Volume[] = []
    for (let volume = this.newest; volume; volume = this.before(volume)) volumes.unshift(volume)
    return volumes
  }

  close(): void {
    for (const { fd } of this.#opened.values()) closeSync(fd)
    this.#opened.clear()
  }

  /** The first one from here on that is still there. */
  #nearest(from: number, step: 1 | -1): Volume | undefined {
    const names = this.#names()
    for (let at = from; at >= 0 && at < names.length; at += step) {
      const volume = this.#open(join(this.#location.folder, names[at] ?? ''))
      if (volume) return volume
    }
    return undefined
  }

  /** What was rotated since the file was opened is the file, or comes after it. */
  #names(): readonly string[] {
    if (this.#archives) return this.#archives
    const { path, folder } = this.#location
    const names = archivesOf(this.#location)
    const live = this.#live?.identity
    const isRotated = live !== undefined && identityOf(path) !== live
    const at = isRotated ? names.findLastIndex((name) => identityOf(join(folder, name)) === live) : -1
    this.#archives = at < 0 ? names : names.slice(0, at)
    return this.#archives
  }

  #open(path: string): Volume | undefined {
    const name = basename(path)
    const known = this.#opened.get(name)
    if (known) return known
    const fd = openToRead(path)
    if (fd === undefined) return undefined
    const volume = onFile(path, () => volumeOf(name, fd))
    this.#opened.set(name, volume)
    return volume
  }
}
