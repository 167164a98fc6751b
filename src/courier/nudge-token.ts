import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomToken } from '../kit/node/crypto.ts'
import { makePrivateFolder } from '../kit/node/folders.ts'

const TOKEN_FILE = 'nudge-token'
const TOKEN_LENGTH = 32

/** The nudge token of this home, created on first use. Only its owner can read the file. */
export function nudgeToken(home: string): { readonly token: string; readonly path: string } {
  const path = join(home, TOKEN_FILE)
  makePrivateFolder(home)
  try {
    writeFileSync(path, `${randomToken(TOKEN_LENGTH)}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const token = readFileSync(path, 'utf8').trim()
  if (token.length < TOKEN_LENGTH) throw new Error(`the token in ${path} is too short; delete the file for a new one`)
  return { token, path }
}
