import { closeSync, fchmodSync, openSync, readdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { syncFolder } from '../../kit/node/folders.ts'
import type { BusRotation } from '../../model/bus/bus.ts'
import { type LockedFile, underLock } from './locked-file.ts'
import { archiveName, archiveNumber, type Location } from './places.ts'
import { onFile, unusable } from './trouble.ts'

/** The names of the archives of a bus, oldest first. */
export function archivesOf({ folder, path }: Location): string[] {
  return onFile(folder, () => {
    try {
      return readdirSync(folder)
        .map((name) => ({ name, number: archiveNumber(path, name) ?? 0 }))
        .filter(({ number }) => number > 0)
        .sort((a, b) => a.number - b.number)
        .map(({ name }) => name)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw error
    }
  })
}

/**
 * Sets a bus aside under the name of its next archive, whose lock the caller holds. Writers that wait for the lock
 * find that the path no longer names what they have locked, and take the new file, which is made at once so that it has
 * the mode of the old one.
 */
export function setAside(location: Location, { stat }: LockedFile): string {
  const { folder, path } = location
  const newest = archivesOf(location).at(-1)
  const number = (newest === undefined ? 0 : (archiveNumber(path, newest) ?? 0)) + 1
  const archive = archiveName(path, number)
  // Nobody would find it under such a name, and the next one would replace it.
  if (archiveNumber(path, archive) !== number) throw unusable(path, 'no number is left for another archive')
  renameSync(path, join(folder, archive))
  try {
    makeEmpty(path, stat.mode & 0o777)
    syncFolder(folder)
  } catch {
    // Somebody has made it already, or there is no room: whoever writes next makes it, and puts its name on the disk.
  }
  return archive
}

function makeEmpty(path: string, mode: number): void {
  const fd = openSync(path, 'wx', mode)
  try {
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

export interface Rotate {
  readonly overBytes?: number
  readonly timeoutMs: number
}

/** Rotates a bus that is there. */
export function rotateBus(location: Location, { overBytes = 0, timeoutMs }: Rotate): Promise<BusRotation> {
  return underLock(location, timeoutMs, (file) => {
    const { size } = file.stat
    const isDue = size > overBytes
    return { ...location.place, archive: isDue ? basename(setAside(location, file)) : null, bytes: isDue ? size : 0 }
  })
}
