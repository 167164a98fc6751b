import { parentPort, workerData } from 'node:worker_threads'
import type { Connection } from './connection.ts'
import { moveLog } from './log.ts'
import { openConnection } from './open.ts'

export type LogOrder = 'move' | 'end'
/** Whether the log begins anew, or somebody was always in the way. */
export type LogAnswer = 'moved' | 'busy'

/**
 * A writer that never rests leaves the lock free for moments only. Whoever has got it waits for readers as long as this, too,
 * with the lock of all writers: so it is short, and tried a few times.
 */
const PATIENCE_MS = 5
const TRIES = 3

/** The thread of `log-mover.ts`: moves the log of a store whenever it is told to, and says how that ended. */
const opening = open(workerData as string)

async function open(path: string): Promise<Connection> {
  const connection = await openConnection({ path, random: Math.random })
  connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
  return connection
}

parentPort?.on('message', async (order: LogOrder) => {
  const connection = await opening
  if (order === 'end') {
    connection.close()
    parentPort?.close()
    return
  }
  let isMoved = false
  for (let tries = 0; !isMoved && tries < TRIES; tries++) isMoved = moveLog(connection)
  parentPort?.postMessage((isMoved ? 'moved' : 'busy') satisfies LogAnswer)
})
