import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { randomBytes } from '../../kit/node/crypto.ts'
import { fileTrouble } from '../../kit/node/file-trouble.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { createWholeText } from '../../kit/node/whole-file.ts'
import { PosternError } from '../../model/errors.ts'
import { findHome } from '../config/config.ts'
import { workingFolder } from '../config/working-folder.ts'

/** The key of the home. Secrets in the store are sealed with it, and the keys for MACs of messages and bus entries are derived from it. */
export const KEY_FILE = 'secret.key'

export const KEY_BYTES = 32

/** The key file of a folder; that of the user's home by default. */
export function keyPath(folder: string = findHome({ flags: {}, env: process.env, cwd: workingFolder() })): string {
  return join(folder, KEY_FILE)
}

/** The key in a file; undefined if there is no such file. Fails with KEY_UNUSABLE if the file cannot be read or holds no key. */
export function readKey(path: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unusable(path, fileTrouble(error) ?? 'it cannot be read', error)
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length === KEY_BYTES) return key
  throw unusable(path, 'it does not hold 32 bytes in base64')
}

/** Makes the key. If two processes make it at once, both use the first one's. Fails with KEY_UNUSABLE. */
export function makeKey(path: string): Buffer {
  const key = Buffer.from(randomBytes(KEY_BYTES))
  try {
    makePrivateFolder(dirname(path))
    createWholeText(path, `${key.toString('base64')}\n`)
    return key
  } catch (error) {
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readKey(path) : undefined
    if (other) return other
    throw unusable(path, fileTrouble(error) ?? 'it cannot be made', error)
  }
}

function unusable(path: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('KEY_UNUSABLE', { path, reason }, { cause })
}
