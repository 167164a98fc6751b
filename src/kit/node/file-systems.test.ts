import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nameOfType, networkFileSystem } from './file-systems.ts'

it('says nothing of a local file system', () => {
  expect(networkFileSystem(tmpdir())).toBeUndefined()
})

it('looks at the nearest parent that exists', () => {
  expect(networkFileSystem(join(tmpdir(), 'not', 'yet', 'there'))).toBeUndefined()
  expect(networkFileSystem(join(process.execPath, 'below-a-file'))).toBe(networkFileSystem(process.execPath))
})

it.each([
  [0x6969, 'nfs'],
  [0xff534d42, 'cifs'],
  [0xff534d42 | 0, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x01021997, '9p'],
  [0x65735546, 'fuse'],
])('knows %d as %s', (type, name) => {
  expect(nameOfType(type)).toBe(name)
})

it.each([
  ['ext4', 0xef53],
  ['tmpfs', 0x01021994],
  ['overlay', 0x794c7630],
  ['btrfs', 0x9123683e],
  ['xfs', 0x58465342],
  ['zfs', 0x2fc12fc1],
])('takes %s for local', (_name, type) => {
  expect(nameOfType(type)).toBeUndefined()
})

const networkMounts = process.platform === 'linux' ? mountsOf(['nfs', 'nfs4', 'cifs', '9p', 'fuse']) : []

it.runIf(networkMounts.length > 0)('recognises what is mounted on this machine', () => {
  for (const path of networkMounts) expect(networkFileSystem(path)).toBeDefined()
})

/** Mount points of the given types that this user may look at. */
function mountsOf(types: readonly string[]): string[] {
  const rows = readFileSync('/proc/mounts', 'utf8').split('\n')
  return rows.flatMap((row) => {
    const [, path = '', type = ''] = row.split(' ')
    return types.includes(type) && isReadable(path) ? [path] : []
  })
}

function isReadable(path: string): boolean {
  try {
    statfsSync(path)
    return true
  } catch {
    return false
  }
}
