import { randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { createWholeText } from '../../kit/node/whole-file.ts'
import { isToken, TOKEN_PREFIX } from '../../model/network/token.ts'
import type { Credentials } from '../../model/network/tokens.ts'

/** Where the owner's own token lies: for whoever can read this home. */
export const TOKEN_FILE = 'token'

const BYTES = 32
const LABEL = 'the token of the home'

/**
 * Makes sure that the home has a token that is good for an administrator, and returns where it lies. One that was
 * revoked, is none, or may be somebody else's, is put aside and replaced.
 */
export async function ensureFirstToken(home: string, credentials: Pick<Credentials, 'adopt'>): Promise<string> {
  makePrivateFolder(home)
  const path = join(home, TOKEN_FILE)
  const known = readToken(path)
  if (known !== undefined && (await credentials.adopt(known, LABEL))) return path
  if (known !== undefined) renameSync(path, `${path}.old`)
  const token = makeToken(path)
  await credentials.adopt(token, LABEL)
  return path
}

/**
 * Undefined where there is no file, or none whose content is certainly the owner's: whoever could write it would
 * administer the server with a token of their own. What others could only read is at least not read any more.
 */
function readToken(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return undefined
  const isOwners = stat.isFile() && stat.uid === (process.getuid?.() ?? stat.uid) && (stat.mode & 0o022) === 0
  const text = isOwners ? readFileSync(path, 'utf8').trim() : ''
  if (isOwners && (stat.mode & 0o077) !== 0) chmodSync(path, 0o600)
  if (isToken(text)) return text
  renameSync(path, `${path}.old`)
  return undefined
}

/** Where two servers make it at once, the first one's is everybody's. */
function makeToken(path: string): string {
  const token = `${TOKEN_PREFIX}${randomBytes(BYTES).toString('base64url')}`
  try {
    createWholeText(path, `${token}\n`)
    return token
  } catch (error) {
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readToken(path) : undefined
    if (other !== undefined) return other
    throw error
  }
}
