import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Connection } from '../connection.ts'
import { isLogLarge, type LogKeeper, moveLog } from './log.ts'
import type { LogOrder } from './log-thread.ts'

/**
 * Has the log moved by a thread of its own, for a process that many wait for: it takes 10 to 20 ms. Where there can be no such
 * thread, it is moved here as everywhere.
 */
export function createLogMover(file: string = threadFile()): LogKeeper {
  let helper: Helper | undefined
  let hasFailed = false

  function helperFor(connection: Connection): Helper {
    // Another connection may be one to another file.
    if (helper?.connection === connection) return helper
    void helper?.end()
    helper = startHelper(file, connection, () => {
      hasFailed = true
      helper = undefined
    })
    return helper
  }

  return {
    tend(connection, isFirst) {
      if (helper?.isMoving || !isLogLarge(connection, isFirst)) return
      if (isFirst || hasFailed) moveLog(connection)
      else helperFor(connection).move()
    },

    async close() {
      await helper?.end()
    },
  }
}

interface Helper {
  readonly connection: Connection
  readonly isMoving: boolean
  move(): void
  end(): Promise<void>
}

function startHelper(file: string, connection: Connection, onFailure: () => void): Helper {
  const thread = new Worker(file, { workerData: connection.path })
  const tell = (order: LogOrder) => thread.postMessage(order)
  let isMoving = false
  // It keeps no process alive.
  thread.unref()
  thread.on('message', () => {
    isMoving = false
  })
  thread.on('error', onFailure)
  return {
    connection,
    get isMoving() {
      return isMoving
    },
    move() {
      isMoving = true
      tell('move')
    },
    async end() {
      thread.ref()
      const ended = once(thread, 'exit').catch(() => {})
      tell('end')
      await ended
    },
  }
}

/** Beside this one, as a source or as a bundle. */
function threadFile(): string {
  const here = typeof __dirname === 'string' ? __dirname : import.meta.dirname
  const bundle = `${here}/log-thread.cjs`
  return existsSync(bundle) ? bundle : `${here}/log-thread.ts`
}
