import { join } from 'node:path'
import { sha256 } from '../kit/node/crypto.ts'

/** Seed 000's place, which foreign producers know. */
const FOLDERS = ['.runtime', 'inject-queue'] as const
const QUARANTINE = 'quarantine'
const ENDING = '.jsonl'

const HARMLESS = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const MAX_NAME = 200
const KEPT_OF_LONG = 100

/** The folder of a project's spools. */
export function spoolFolder(root: string): string {
  return join(root, ...FOLDERS)
}

/** The spool of one session. Whatever the session is called, it lies in that folder. */
export function spoolPath(root: string, sessionId: string): string {
  return join(spoolFolder(root), `${nameOf(sessionId)}${ENDING}`)
}

/** What is known of a spool beyond its lines. No spool has this name, because those all end as spools do. */
export function statePath(spool: string): string {
  return `${spool.slice(0, -ENDING.length)}.state`
}

/** Where a spool's bad lines go. */
export function quarantinePath(spool: string): string {
  const at = spool.lastIndexOf('/') + 1
  return join(spool.slice(0, at), QUARANTINE, spool.slice(at))
}

export function quarantineFolder(root: string): string {
  return join(spoolFolder(root), QUARANTINE)
}

/** The session whose spool has this file name, where the name tells it; undefined for any other file. */
export function sessionOf(fileName: string): string | undefined {
  const name = fileName.endsWith(ENDING) ? fileName.slice(0, -ENDING.length) : ''
  return HARMLESS.test(name) ? name : undefined
}

/**
 * A session's file name. Ids of letters, digits, `.`, `_` and `-` are kept as seed 000 writes them; of all others the
 * remaining bytes are written as `%2F`, and what would be too long for a file system ends in its checksum instead.
 * No two ids have one name.
 */
function nameOf(sessionId: string): string {
  if (HARMLESS.test(sessionId) && sessionId.length <= MAX_NAME) return sessionId
  const encoded = [...Buffer.from(sessionId)].map(encodeByte).join('')
  if (encoded !== '' && encoded.length <= MAX_NAME) return encoded
  return `${encoded.slice(0, KEPT_OF_LONG)}~${sha256(sessionId)}`
}

function encodeByte(byte: number, at: number): string {
  const character = String.fromCharCode(byte)
  const isKept = at === 0 ? /[A-Za-z0-9]/.test(character) : /[A-Za-z0-9._-]/.test(character)
  return isKept ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
