import type { MessageMacs } from './message-macs.ts'

/**
 * The port between shelves and engines. SQL is written once where the engines agree, with numbered `?1` parameters;
 * rows come as arrays in the order of the selected columns, which both drivers read fastest. A bound LIMIT is written
 * `?n + 0`, because SQLite prepares a statement anew whenever the bare parameter of one is bound.
 */
export interface Sql {
  readonly engine: 'sqlite' | 'postgres'
  /** True where nothing may be locked, because no transaction would ever let go of it. */
  readonly isReader?: boolean
  /** True if the process that pushes rings after the commit, so the statement sends no NOTIFY. */
  readonly skipsNotify?: boolean
  /** Makes and checks the MACs of messages; undefined in a store that was opened without a key. */
  readonly macs?: MessageMacs | undefined
  all(text: string, params?: readonly SqlValue[]): Promise<readonly SqlRow[]>
  get(text: string, params?: readonly SqlValue[]): Promise<SqlRow | undefined>
  /** Returns how many rows changed. */
  run(text: string, params?: readonly SqlValue[]): Promise<number>
}

export type SqlValue = string | number | null

// biome-ignore lint/suspicious/noExplicitAny: a row's columns are known only to the query beside its reader
export type SqlRow = readonly any[]

/**
 * Whether a column's value is in a JSON array. PostgreSQL gets an array that it can look up in an index; from a
 * subquery it would guess a join that reads the whole history.
 */
export function isAmong(sql: Sql, column: string, list: string, type: 'bigint' | 'text' = 'bigint'): string {
  return sql.engine === 'sqlite'
    ? `${column} IN (SELECT value FROM json_each(${list}))`
    : `${column} = ANY (ARRAY(SELECT value::${type} FROM json_array_elements_text(CAST(${list} AS json)) AS each(value)))`
}

/**
 * The clause that locks the rows of a SELECT until the transaction ends. Only PostgreSQL has transactions side by
 * side; on SQLite a writing one has the store to itself.
 */
export function locking(sql: Sql, clause: string): string {
  return sql.engine === 'postgres' && !sql.isReader ? clause : ''
}

/** The channel of PostgreSQL's NOTIFY on which inboxes are rung; the wire listens to it. */
export const RING_CHANNEL = 'postern_ring'

/**
 * On PostgreSQL an inbox in which something became pending is rung by the transaction that did it: the ring goes out
 * with the commit, or not at all.
 */
export async function ringInboxes(sql: Sql, agents: readonly string[]): Promise<void> {
  if (sql.engine !== 'postgres') return
  for (const agent of new Set(agents)) await sql.get(`SELECT pg_notify('${RING_CHANNEL}', ?1)`, [agent])
}

/** Somebody else was faster: the verb is run again from its beginning and will find what they did. */
export class LostRace extends Error {
  override readonly name = 'LostRace'
}
