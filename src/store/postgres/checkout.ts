import type { PoolClient } from 'pg'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import type { Sql, SqlRow, SqlValue } from '../sql.ts'
import type { Shelves } from '../store.ts'
import { isDisconnected } from './errors.ts'
import { createShelves } from './shelves.ts'
import { statementOf } from './statements.ts'

const MAY_BE_STORED =
  'The change may be stored: look before you repeat it, or repeat it with the same dedup key or Idempotency-Key. '

/** Whoever runs statements: a connection, or the pool where any connection will do. */
type Runner = Pick<PoolClient, 'query'>

export async function runStatement(runner: Runner, text: string, params: readonly SqlValue[] = []) {
  const { name, text: translated } = statementOf(text)
  return runner.query<SqlValue[]>({ name, text: translated, values: params.map(storable), rowMode: 'array' })
}

/** PostgreSQL has no NUL in its texts. It goes the way of lone surrogates, so what is asked for by it is not found. */
function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

/** What a connection is used for. */
export interface Use {
  readonly isReader: boolean
  readonly skipsNotify?: boolean
  readonly macs: Sql['macs']
  /** Called ahead of every statement. */
  readonly before?: () => void
}

/** The shelves' port on a runner. */
export function asSql(runner: Runner, { isReader, skipsNotify = false, macs, before }: Use): Sql {
  const run = (text: string, params?: readonly SqlValue[]) => {
    before?.()
    return runStatement(runner, text, params)
  }
  return {
    engine: 'postgres',
    isReader,
    skipsNotify,
    macs,
    all: async (text, params) => (await run(text, params)).rows as SqlRow[],
    get: async (text, params) => (await run(text, params)).rows[0],
    run: async (text, params) => (await run(text, params)).rowCount ?? 0,
  }
}

/**
 * One connection while somebody has it, in one of two ways:
 *
 *   transaction   BEGIN, any number of statements, COMMIT
 *   single        one statement, which is its own transaction; `within` may still open one for what needs more
 */
export class Checkout {
  readonly #client: PoolClient
  readonly #sql: Sql
  readonly #shelves: Shelves
  readonly #location: string
  #isInTransaction = false
  #isBroken = false
  #statements = 0

  constructor(
    client: PoolClient,
    { location, ...use }: Pick<Use, 'skipsNotify' | 'macs'> & { readonly location: string },
  ) {
    this.#client = client
    this.#location = location
    this.#sql = asSql(client, { ...use, isReader: false, before: () => this.#count() })
    this.#shelves = createShelves(this.#sql, (work) => this.within(work))
  }

  /** False once the connection is lost, or nobody knows what state it is in. */
  get isUsable(): boolean {
    return !this.#isBroken
  }

  transaction<T>(verb: (tx: Shelves) => Promise<T>): Promise<T> {
    return this.within(() => verb(this.#shelves))
  }

  async single<T>(call: (tx: Shelves, sql: Sql) => Promise<T>): Promise<T> {
    this.#statements = 0
    try {
      return await call(this.#shelves, this.#sql)
    } catch (error) {
      if (!isDisconnected(error)) throw error
      throw this.#unknownOutcome(error)
    }
  }

  /** Runs in the transaction that is open, or in one of its own. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isInTransaction) return work()
    await this.#client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
    this.#isInTransaction = true
    try {
      const value = await work()
      await this.#commit()
      return value
    } catch (error) {
      await this.#rollBack(error)
      throw error
    } finally {
      this.#isInTransaction = false
    }
  }

  /** PostgreSQL answers COMMIT with ROLLBACK where a statement had failed, even if the verb took no notice of it. */
  async #commit(): Promise<void> {
    const { command } = await this.#client.query('COMMIT').catch((error: unknown) => {
      throw isDisconnected(error) ? this.#unknownOutcome(error) : error
    })
    if (command !== 'COMMIT') throw new Error('the transaction was given up, because one of its statements failed')
  }

  async #rollBack(reason: unknown): Promise<void> {
    if (this.#isBroken || isDisconnected(reason)) {
      this.#isBroken = true
      return
    }
    await this.#client.query('ROLLBACK').catch(() => {
      this.#isBroken = true
    })
  }

  #unknownOutcome(error: unknown): PosternError {
    this.#isBroken = true
    const reason = `the connection was lost before the answer came (${reasonOf(error)})`
    return new PosternError(
      'STORE_UNAVAILABLE',
      { path: this.#location, reason, hint: MAY_BE_STORED },
      { cause: error },
    )
  }

  #count(): void {
    this.#statements++
    if (this.#isInTransaction || this.#statements === 1) return
    throw new Error('a second statement within single: use transact for what needs more than one')
  }
}
