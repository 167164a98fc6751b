import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'

const MAX_BYTES = 64 * 1024

/** Every command reads it, so a file of a cloned repository must neither keep one waiting nor fill its memory. */
export function readConfigText(path: string, { followsLinks = false } = {}): string {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_NONBLOCK | (followsLinks ? 0 : constants.O_NOFOLLOW))
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error('it is not a plain file of at most 64 KB')
    return readFileSync(fd, 'utf8')
  } catch (error) {
    throw new PosternError('CONFIG_INVALID', { path, reason: reasonOf(error) })
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
