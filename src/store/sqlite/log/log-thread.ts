import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from '../open.ts'
import { moveLog } from './log.ts'

export type LogOrder = 'move' | 'end'
/** Whether the log begins anew, or somebody was always in the way. */
export type LogAnswer = 'moved' | 'busy'

/** A writer that never rests leaves the lock free for moments only. */
const TRIES = 20
const PAUSE_MS = 2

/** The thread of `log-mover.ts`: moves the log of a store whenever it is told to, and says how that ended. */
const opening = openConnection({ path: workerData as string, random: Math.random })
const pauses = new Int32Array(new SharedArrayBuffer(4))

parentPort?.on('message', async (order: LogOrder) => {
  const connection = await opening
  if (order === 'end') {
    connection.close()
    parentPort?.close()
    return
  }
  // Whoever waits for readers here has the lock of all writers meanwhile, so SQLite itself must not wait.
  let isMoved = moveLog(connection)
  for (let tries = 1; !isMoved && tries < TRIES; tries++) {
    Atomics.wait(pauses, 0, 0, PAUSE_MS)
    isMoved = moveLog(connection)
  }
  parentPort?.postMessage((isMoved ? 'moved' : 'busy') satisfies LogAnswer)
})
