import { readWaiting, WAITING } from '../shelves/waiting.ts'
import { openIfOurs } from './schema.ts'

/**
 * Looks whether anything waits for an AI agent, with as little as possible loaded. True only where certainly nothing
 * does: a store of our own that is there and up to date, and an agent that it knows. In any doubt it says false, and
 * whoever asked goes the whole way, with all its refusals.
 */
export function isSurelyQuiet(path: string, agent: string, now: number): boolean {
  const connection = openIfOurs(path)?.connection
  const row = connection?.get(WAITING, [agent, now])
  const isQuiet = row?.[5] === 'ai' && !Object.values(readWaiting(row)).includes(true)
  // Otherwise it stays open until the process ends: closing the last one takes the log away that is needed next.
  if (isQuiet) connection?.close()
  return isQuiet
}
