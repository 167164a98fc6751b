import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NEEDS_LINUX } from '../../../test/helpers/needs.ts'
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

const NETWORK = /^(?:nfs4?|cifs|smb3|9p|virtiofs|fuse(?:blk|\..+)?)$/
const LOCAL = /^(?:proc|sysfs|tmpfs|devtmpfs|devpts|ext[234]|xfs|btrfs|zfs|f2fs|squashfs|overlay)$/

it('tells network from local for every mount of this machine', NEEDS_LINUX, () => {
  const mounts = readMounts().filter(({ path, type }) => (NETWORK.test(type) || LOCAL.test(type)) && isReadable(path))
  expect(mounts.map(({ type }) => type)).toContain('proc')
  for (const { path, type } of mounts)
    expect(networkFileSystem(path) !== undefined, `${path} is ${type}`).toBe(NETWORK.test(type))
})

/** Of several mounts at one path the last counts. */
function readMounts(): readonly { readonly path: string; readonly type: string }[] {
  const rows = readFileSync('/proc/mounts', 'utf8').trimEnd().split('\n')
  const types = new Map(rows.map((row) => row.split(' ').slice(1, 3) as [string, string]))
  return [...types].map(([path, type]) => ({ path, type }))
}

function isReadable(path: string): boolean {
  try {
    statfsSync(path)
    return true
  } catch {
    return false
  }
}
