import { statSync } from 'node:fs'
import { readWaiting, WAITING } from '../store/shelves/waiting.ts'
import { Connection } from '../store/sqlite/connection.ts'
import { isCurrent } from '../store/sqlite/migrate.ts'
import { type Config, isPostgres } from './config.ts'

/**
 * Looks whether anything waits for an agent, with as little as possible loaded. True only where certainly nothing
 * does: an embedded store that is there and up to date, and an agent that it knows. In any doubt it says false, and
 * whoever asked goes the whole way.
 */
export function isSurelyQuiet({ store }: Config, agent: string, now: number): boolean {
  if (isPostgres(store) || !statSync(store, { throwIfNoEntry: false })?.isFile()) return false
  const connection = new Connection(store, { busyMs: 0 })
  const row = isCurrent(connection) ? connection.get(WAITING, [agent, now]) : undefined
  const isQuiet = row !== undefined && !Object.values(readWaiting(row)).includes(true)
  // Otherwise it stays open until the process ends: closing the last one takes the log away that is needed next.
  if (isQuiet) connection.close()
  return isQuiet
}
