import { parentPort, workerData } from 'node:worker_threads'
import { isBusy } from '../errors.ts'
import { openConnection } from '../open.ts'
import { moveLog } from './log.ts'

export type LogOrder = 'move' | 'end'

/** A writer that never rests leaves the lock free for moments only. */
const PATIENCE_MS = 50

/** The thread of `log-mover.ts`: moves the log of a store whenever it is told to, and says when that is done. */
const opening = openConnection({ path: workerData as string, random: Math.random })

parentPort?.on('message', async (order: LogOrder) => {
  const connection = await opening
  if (order === 'end') {
    connection.close()
    parentPort?.close()
    return
  }
  try {
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
    moveLog(connection)
  } catch (error) {
    if (!isBusy(error)) throw error
  }
  parentPort?.postMessage('moved')
})
