import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestOptions } from 'vitest'
import { missingPrograms, needs } from '../../helpers/needs.ts'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'
import { needsAbility, requireRoot, run } from './need.ts'

const SIZE_BYTES = 64 * 1024 * 1024
/** EXT4_IOC_SHUTDOWN without flushing the journal: what was not synced is as lost as if the power had gone. */
const SHUT_DOWN = `import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))`

/** A disk of its own, in a file, whose power can be cut. */
export interface Disk {
  readonly folder: string
  /** Cuts the power: from now on nothing is read or written. Nobody may have a file open when it is restored. */
  cutPower(): void
  restorePower(): void
  remove(): void
}

export function createDisk(): Disk {
  requireRoot()
  const base = makeTemporaryFolder()
  const [image, folder] = [join(base, 'disk.img'), join(base, 'disk')]
  writeFileSync(image, '')
  truncateSync(image, SIZE_BYTES)
  mkdirSync(folder)
  run('mkfs.ext4', ['-q', '-F', image])
  const mount = () => run('mount', ['-o', 'loop', image, folder])
  mount()
  return {
    folder,
    cutPower: () => run('python3', ['-c', SHUT_DOWN, folder]),
    restorePower() {
      unmount(folder)
      mount()
    },
    remove() {
      if (mountedFolders().includes(folder)) unmount(folder)
      removeFolder(base)
    },
  }
}

/** For tests that cut the power of a disk. */
export function needsPowerCuts(): TestOptions {
  const missing = missingPrograms('mkfs.ext4', 'python3')
  if (missing !== undefined) return needs(missing)
  return needsAbility('cut the power of a disk', () => {
    const disk = createDisk()
    try {
      disk.cutPower()
      disk.restorePower()
    } finally {
      disk.remove()
    }
  })
}

/** For tests that mount file systems. */
export function needsMounts(): TestOptions {
  return needsAbility('mount a file system', () => {
    const folder = makeTemporaryFolder()
    try {
      mountMemory(join(folder, 'memory'), 'size=1m')()
    } finally {
      removeFolder(folder)
    }
  })
}

/** A folder in memory with so much room and no more. */
export function mountMemory(folder: string, options: string): () => void {
  requireRoot()
  mkdirSync(folder, { recursive: true })
  run('mount', ['-t', 'tmpfs', '-o', options, 'postern-test', folder])
  return () => unmount(folder)
}

/** Takes all the room that a disk has left. */
export function fill(path: string): void {
  const fd = openSync(path, 'a')
  try {
    while (writeSync(fd, Buffer.alloc(4_096)) > 0);
  } catch {
    // It is full.
  } finally {
    closeSync(fd)
  }
}

function unmount(folder: string): void {
  try {
    run('umount', [folder])
  } catch {
    // A process that was just killed may still be going; the kernel lets go when it has gone.
    run('umount', ['--lazy', folder])
  }
}

function mountedFolders(): string[] {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
}
