import { statSync } from 'node:fs'
import { networkFileSystem } from '../../kit/node/file-systems.ts'
import { readWaiting, WAITING } from '../shelves/waiting.ts'
import { Connection } from './connection.ts'
import { isCurrent } from './schema.ts'

/**
 * Looks whether anything waits for an AI agent, with as little as possible loaded. True only where certainly nothing
 * does: a store of our own that is there and up to date, and an agent that it knows. In any doubt it says false, and
 * whoever asked goes the whole way, with all its refusals.
 */
export function isSurelyQuiet(path: string, agent: string, now: number): boolean {
  const connection = openIfOurs(path)?.connection
  const row = connection?.get(WAITING, [agent, now])
  const isQuiet = row?.[3] === 'ai' && !Object.values(readWaiting(row)).includes(true)
  // Otherwise it stays open until the process ends: closing the last one takes the log away that is needed next.
  if (isQuiet) connection?.close()
  return isQuiet
}

/** A store as somebody has found and opened it. */
export interface OpenedStore {
  readonly connection: Connection
  /** Of its file, which may be another by the time that somebody goes on with it. */
  readonly inode: number
}

/** A store that can be used at once: our own file on a disk of this machine, and up to date. */
export function openIfOurs(path: string): OpenedStore | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.uid !== process.getuid?.() || networkFileSystem(path)) return undefined
  const connection = new Connection(path, { busyMs: 0 })
  return isCurrent(connection) ? { connection, inode: stat.ino } : undefined
}
