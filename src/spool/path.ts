import { join } from 'node:path'
import { fileNameOf, isHarmlessName } from '../kit/node/file-names.ts'

/** Seed 000's place, which foreign producers know. */
const FOLDER = '.runtime/inject-queue'
const QUARANTINE = 'quarantine'
const ENDING = '.jsonl'

/** The folder of a project's spools. Every hook asks for it, and Node's `join` looks at each character of the path again. */
export function spoolFolder(root: string): string {
  return `${root.endsWith('/') ? root : `${root}/`}${FOLDER}`
}

/** The spool of one session, whose id is kept as seed 000 writes it. Whatever it is called, it lies in that folder. */
export function spoolPath(root: string, sessionId: string): string {
  return `${spoolFolder(root)}/${fileNameOf(sessionId)}${ENDING}`
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
  return isHarmlessName(name) ? name : undefined
}
