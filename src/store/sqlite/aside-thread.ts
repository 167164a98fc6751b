import { parentPort, workerData } from 'node:worker_threads'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { SqlRow, SqlValue } from '../sql.ts'
import { Connection } from './connection.ts'

/** A statement that only reads. */
export interface AsideOrder {
  readonly id: number
  readonly text: string
  readonly params: readonly SqlValue[]
}

export type AsideAnswer =
  | { readonly id: number; readonly rows: readonly SqlRow[] }
  | { readonly id: number; readonly failure: AsideFailure }

/** What of an error survives on its way to another thread. */
export interface AsideFailure {
  readonly reason: string
  readonly errcode: unknown
}

/** Readers meet a lock only while the log is reset or recovered, and nobody waits for this thread meanwhile. */
const PATIENCE_MS = 10_000

/** The thread of `aside.ts`: runs statements on a connection of its own, one after the other. */
const connection = new Connection(workerData as string, { busyMs: PATIENCE_MS })
connection.exec('PRAGMA query_only = ON')

parentPort?.on('message', (order: AsideOrder | 'end') => {
  if (order === 'end') {
    connection.close()
    parentPort?.close()
  } else parentPort?.postMessage(answer(order))
})

function answer({ id, text, params }: AsideOrder): AsideAnswer {
  try {
    return { id, rows: connection.all(text, params) }
  } catch (error) {
    return { id, failure: { reason: reasonOf(error), errcode: (error as { readonly errcode?: unknown }).errcode } }
  }
}
