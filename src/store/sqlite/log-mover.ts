import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Connection } from './connection.ts'
import { isLogLarge, type LogKeeper, moveLog } from './log.ts'
import type { LogAnswer, LogOrder } from './log-thread.ts'

/** Somebody who reads for long, as a backup does, is still there in a moment. */
const BUSY_REST_MS = 1_000

/**
 * Has the log moved by a thread of its own, for a process that many wait for: it takes 10 to 20 ms. Where there can be no such
 * thread, it is moved here as everywhere.
 */
export function createLogMover(file: string = threadFile()): LogKeeper {
  let helper: Helper | undefined
  let hasFailed = false
  const ending = new Set<Promise<void>>()

  function end(known: Helper): void {
    const ended = known.end().finally(() => ending.delete(ended))
    ending.add(ended)
    if (helper === known) helper = undefined
  }

  function helperFor(connection: Connection): Helper | undefined {
    if (helper?.connection === connection) return helper
    // Another connection may be one to another file.
    if (helper) end(helper)
    try {
      const started = startHelper(file, connection, () => {
        hasFailed = true
        if (helper === started) helper = undefined
      })
      helper = started
    } catch {
      hasFailed = true
    }
    return helper
  }

  return {
    tend(connection, isFirst) {
      if (helper?.isMoving || !isLogLarge(connection, isFirst)) return
      const mover = isFirst || hasFailed ? undefined : helperFor(connection)
      if (mover) mover.move()
      else moveLog(connection)
    },

    async close() {
      if (helper) end(helper)
      await Promise.all(ending)
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
  const exited = once(thread, 'exit').catch(() => {})
  let isMoving = false
  const rest = () => {
    isMoving = false
  }
  // It keeps no process alive.
  thread.unref()
  thread.on('message', (answer: LogAnswer) => {
    if (answer === 'busy') setTimeout(rest, BUSY_REST_MS).unref()
    else rest()
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
      tell('end')
      await exited
    },
  }
}

/** Beside this one, as a source or as a bundle. */
function threadFile(): string {
  const here = typeof __dirname === 'string' ? __dirname : import.meta.dirname
  const bundle = `${here}/log-thread.cjs`
  return existsSync(bundle) ? bundle : `${here}/log-thread.ts`
}
