import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Sql, SqlRow, SqlValue } from '../sql.ts'
import type { AsideAnswer, AsideFailure, AsideOrder } from './aside-thread.ts'
import { storeError } from './errors.ts'

/** Runs reads that scan the store, such as counts and checks, on a thread of their own, so that requests do not wait. */
export interface Aside {
  /** Read-only; falls back to `other` if no thread can be started. */
  sql(file: StoreFile, other: Sql): Sql
  /** Ends the thread after its current read. */
  close(): Promise<void>
}

/** The inode tells whether another file has taken the path. */
export interface StoreFile {
  readonly path: string
  readonly inode: number
}

export function createAside(file: string = threadFile()): Aside {
  let reader: Reader | undefined
  let hasFailed = false

  function readerOf(wanted: StoreFile): Reader | undefined {
    if (hasFailed) return undefined
    if (reader && !reader.isOver && reader.of.path === wanted.path && reader.of.inode === wanted.inode) return reader
    void reader?.close()
    reader = undefined
    try {
      reader = startReader(file, wanted, () => {
        hasFailed = true
      })
    } catch {
      hasFailed = true
    }
    return reader
  }

  return {
    sql(wanted, other) {
      const all = async (text: string, params: readonly SqlValue[] = []): Promise<readonly SqlRow[]> => {
        const answer = await readerOf(wanted)?.ask(text, params)
        if (!answer) return other.all(text, params)
        if ('rows' in answer) return answer.rows
        throw storeError(errorOf(answer.failure), wanted.path)
      }
      return {
        engine: 'sqlite',
        all,
        get: async (text, params) => (await all(text, params))[0],
        run: () => Promise.reject(new Error('nothing is written here')),
        macs: other.macs,
      }
    },
    async close() {
      await reader?.close()
      reader = undefined
    },
  }
}

function errorOf({ reason, errcode }: AsideFailure): Error {
  return Object.assign(new Error(reason), { errcode })
}

interface Reader {
  readonly of: StoreFile
  readonly isOver: boolean
  /** Undefined if the thread ended without an answer. */
  ask(text: string, params: readonly SqlValue[]): Promise<AsideAnswer | undefined>
  close(): Promise<void>
}

function startReader(file: string, of: StoreFile, onFailure: () => void): Reader {
  const thread = new Worker(file, { workerData: of.path })
  const exited = once(thread, 'exit').catch(() => {})
  const waiting = new Map<number, (answer: AsideAnswer | undefined) => void>()
  let count = 0
  let isOver = false
  // It keeps no process alive.
  thread.unref()
  thread.on('message', (answer: AsideAnswer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  thread.on('error', onFailure)
  thread.on('exit', () => {
    isOver = true
    for (const settle of waiting.values()) settle(undefined)
    waiting.clear()
  })
  return {
    of,
    get isOver() {
      return isOver
    },
    ask(text, params) {
      const order: AsideOrder = { id: count++, text, params }
      return new Promise((resolve) => {
        waiting.set(order.id, resolve)
        thread.postMessage(order)
      })
    },
    async close() {
      if (isOver) return
      thread.ref()
      thread.postMessage('end')
      await exited
    },
  }
}

/** Beside this one, as a source or as a bundle. */
function threadFile(): string {
  const here = typeof __dirname === 'string' ? __dirname : import.meta.dirname
  const bundle = `${here}/aside-thread.cjs`
  return existsSync(bundle) ? bundle : `${here}/aside-thread.ts`
}
