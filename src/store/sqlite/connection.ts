import type { DatabaseSync, DatabaseSyncOptions, StatementSync } from 'node:sqlite'
import type { Sql, SqlRow, SqlValue } from '../sql.ts'
import { loadEngine } from './engine.ts'
import { isBusy, storeError } from './errors.ts'

/** Room for a push to a thousand inboxes; it is taken only as it is used. */
const CACHE_KB = 16_384

/**
 * One SQLite connection with its prepared statements. All calls are synchronous; `asSql` gives them the shape that
 * the shelves share with PostgreSQL.
 */
export class Connection {
  readonly path: string
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #waitsForDisk = true

  constructor(path: string, options: { readonly busyMs: number; readonly isAlone?: boolean }) {
    this.path = path
    const settings: DatabaseSyncOptions & { defensive: boolean } = {
      timeout: options.busyMs,
      enableForeignKeyConstraints: false,
      defensive: true,
    }
    const { DatabaseSync } = loadEngine()
    this.#db = new DatabaseSync(path, settings)
    try {
      // Must come first: what follows opens the log, and with it the file that processes share.
      if (options.isAlone) this.#db.exec('PRAGMA locking_mode = EXCLUSIVE')
      // Whoever closes the last connection moves the log into the store, though it has only read.
      this.#db.exec(
        `PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${CACHE_KB}`,
      )
    } catch (error) {
      // Left open it would keep its lock on the store.
      this.#db.close()
      throw error
    }
  }

  /** For the backup, which needs the engine's own handle. */
  get database(): DatabaseSync {
    return this.#db
  }

  exec(text: string): void {
    this.#db.exec(text)
  }

  all(text: string, params: readonly SqlValue[] = []): SqlRow[] {
    return this.#prepare(text).all(...params) as unknown as SqlRow[]
  }

  get(text: string, params: readonly SqlValue[] = []): SqlRow | undefined {
    return this.#prepare(text).get(...params) as unknown as SqlRow | undefined
  }

  run(text: string, params: readonly SqlValue[] = []): number {
    return this.#prepare(text).run(...params).changes as number
  }

  /** Returns the new row's key. */
  insert(text: string, params: readonly SqlValue[]): number {
    return this.#prepare(text).run(...params).lastInsertRowid as number
  }

  /** Whether commits wait for the disk, as they do unless told otherwise. Not to be changed inside a transaction. */
  waitForDisk(waits: boolean): void {
    if (waits === this.#waitsForDisk) return
    this.#db.exec(`PRAGMA synchronous = ${waits ? 'FULL' : 'NORMAL'}`)
    this.#waitsForDisk = waits
  }

  pragma(name: string): SqlValue {
    return (this.get(`PRAGMA ${name}`)?.[0] ?? null) as SqlValue
  }

  close(): void {
    this.#statements.clear()
    this.#waitsForDisk = true
    this.#db.close()
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.#db.prepare(text)
    statement.setReturnArrays(true)
    this.#statements.set(text, statement)
    return statement
  }
}

/** The shelves' port on a connection that is chosen anew for every statement. */
export function asSql(path: string, connection: () => Connection, macs?: Sql['macs']): Sql {
  const guarded = <T>(call: (connection: Connection) => T): Promise<T> => {
    try {
      return Promise.resolve(call(connection()))
    } catch (error) {
      return Promise.reject(isBusy(error) ? error : storeError(error, path))
    }
  }
  return {
    engine: 'sqlite',
    macs,
    all: (text, params) => guarded((c) => c.all(text, params)),
    get: (text, params) => guarded((c) => c.get(text, params)),
    run: (text, params) => guarded((c) => c.run(text, params)),
  }
}
