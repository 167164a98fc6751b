import { statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * File systems whose locks and shared memory do not hold between machines, or not at all, by the magic number that
 * Linux gives them (statfs(2), linux/magic.h). FUSE stands here because nobody can tell what is behind it.
 */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x01021997, '9p'],
  [0x65735546, 'fuse'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x73757245, 'coda'],
  [0x564c, 'ncp'],
  [0x0bd00bd0, 'lustre'],
  [0x00c36400, 'ceph'],
  [0x7461636f, 'ocfs2'],
  [0x01161970, 'gfs2'],
  [0x47504653, 'gpfs'],
  [0x19830326, 'beegfs'],
  [0x20030528, 'orangefs'],
  [0xaad7aaea, 'panfs'],
  [0x61636673, 'acfs'],
  [0xbeefdead, 'snfs'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
  [0x7c7c6673, 'prl_fs'],
])

/**
 * The name of the network file system that a path lies, or would lie, on; undefined for a local one. Only Linux has
 * these numbers: elsewhere nothing is known and nothing is said.
 */
export function networkFileSystem(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  const type = typeOfNearest(path)
  return type === undefined ? undefined : nameOfType(type)
}

/** Some machines hand the number over with its sign. */
export function nameOfType(type: number): string | undefined {
  return NETWORK_TYPES.get(type >>> 0)
}

/** The type at the path, or at the nearest parent that exists. */
function typeOfNearest(path: string): number | undefined {
  try {
    return statfsSync(path).type
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const parent = dirname(resolve(path))
    if (parent === path || (code !== 'ENOENT' && code !== 'ENOTDIR')) return undefined
    return typeOfNearest(parent)
  }
}
