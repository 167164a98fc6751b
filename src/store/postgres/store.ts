import type { Pool, PoolClient } from 'pg'
import { sleep } from '../../kit/clock/sleep.ts'
import { type Backoff, createBackoff } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import type { HealthCheck, PushResult } from '../../model/postern.ts'
import type { Verified } from '../../model/verified.ts'
import type { MessageMacs } from '../message-macs.ts'
import { findViolations } from '../shelves/audit.ts'
import { rememberVerified, verifyMessages } from '../shelves/verify.ts'
import type { Sql } from '../sql.ts'
import type { PushParams, Shelves, Store } from '../store.ts'
import { backupTo } from './backup.ts'
import { checkServer, requireServer } from './check.ts'
import { asSql, Checkout } from './checkout.ts'
import { createServerClock, type ServerClock } from './clock.ts'
import { isDisconnected, isLostRace, storeError } from './errors.ts'
import { createGatherer, type Gatherer } from './gather.ts'
import { migrate } from './migrate.ts'
import { createPool, endPool } from './pool.ts'
import { storeTogether } from './push.ts'
import { createShelves } from './shelves.ts'
import { parseStoreUrl, type StoreUrl } from './url.ts'

export interface PostgresOptions {
  /** Also says in which schema the tables are, by `?options=-csearch_path%3D…`. */
  readonly url: string
  readonly random: () => number
  /** How long to wait for a connection or a lock before giving up. */
  readonly busyMs?: number
  /**
   * True for a server, of which many ask at once. Its pushes leave ringing to the wire: PostgreSQL lets only one
   * transaction at a time commit that has rung, so theirs would wait for the disk one after the other.
   */
  readonly isShared?: boolean
  /** Undefined for a store without MACs. */
  readonly macs?: MessageMacs | undefined
}

const DEFAULT_BUSY_MS = 10_000
/** A verb that loses this many races in a row meets something that is no race. */
const MAX_ATTEMPTS = 12
const RETRY_MS = { minMs: 1, maxMs: 100 }

/** Opens a store that many machines share. Its schema is made where there is none. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const store = new PostgresStore(options)
  try {
    await store.prepare()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

class PostgresStore implements Store {
  readonly engine = 'postgres'
  readonly hasLost = false
  readonly location: string
  readonly read: Shelves
  readonly now: () => number
  readonly #url: StoreUrl
  readonly #pool: Pool
  readonly #clock: ServerClock
  readonly #gatherer: Gatherer
  readonly #random: () => number
  readonly #busyMs: number
  readonly #skipsNotify: boolean
  readonly #macs: MessageMacs | undefined
  readonly #checkouts = new WeakMap<PoolClient, Checkout>()
  #closing: Promise<void> | undefined

  constructor({ url, random, busyMs = DEFAULT_BUSY_MS, isShared = false, macs }: PostgresOptions) {
    this.#url = parseStoreUrl(url)
    this.location = this.#url.location
    this.#random = random
    this.#busyMs = busyMs
    this.#skipsNotify = isShared
    this.#macs = macs
    this.#pool = createPool({ url, busyMs })
    this.#clock = createServerClock(() => this.#askTime())
    this.now = this.#clock.now
    this.#gatherer = createGatherer({
      alone: (params) => this.single((tx) => tx.messages.push(params)),
      together: (params) => this.#again((checkout) => checkout.single((_, sql) => storeTogether(sql, params))),
      patienceMs: busyMs,
      refusal: () => this.#busy(),
    })
    this.read = createShelves(this.#reader(), () =>
      Promise.reject(new Error('what only reads cannot write: use transact')),
    )
  }

  async prepare(): Promise<void> {
    try {
      const client = await this.#pool.connect()
      try {
        await requireServer(client, this.location)
        await migrate(client, this.location)
      } finally {
        client.release()
      }
      await this.#clock.measure()
    } catch (error) {
      throw this.#explain(error)
    }
  }

  ago(ms: number): number {
    return this.now() - ms
  }

  transact<T>(verb: (tx: Shelves) => Promise<T>): Promise<T> {
    return this.#again((checkout) => checkout.transaction(verb))
  }

  single<T>(call: (tx: Shelves) => Promise<T>): Promise<T> {
    return this.#again((checkout) => checkout.single(call))
  }

  async push(params: PushParams): Promise<readonly PushResult[]> {
    if (this.#closing) throw this.#closed()
    return this.#gatherer.push(params)
  }

  audit({ limit }: { readonly limit: number }): Promise<readonly string[]> {
    return findViolations(this.#reader(), limit)
  }

  async check(): Promise<readonly HealthCheck[]> {
    try {
      return await checkServer(this.#pool)
    } catch (error) {
      throw this.#explain(error)
    }
  }

  async verify(): Promise<Verified> {
    return rememberVerified(this, await verifyMessages(this.#reader()))
  }

  async backup(path: string): Promise<Verified> {
    await backupTo({ pool: this.#pool, url: this.#url, path })
    return this.verify()
  }

  close(): Promise<void> {
    this.#closing ??= this.#gatherer.idle().then(() => endPool(this.#pool))
    return this.#closing
  }

  /** Runs the work again from its beginning for as long as it only loses races. */
  async #again<T>(work: (checkout: Checkout) => Promise<T>): Promise<T> {
    let backoff: Backoff | undefined
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#withCheckout(work)
      } catch (error) {
        if (!isLostRace(error) || attempt === MAX_ATTEMPTS) throw this.#explain(error)
      }
      backoff ??= createBackoff({ ...RETRY_MS, random: this.#random })
      const waitMs = backoff.next()
      await sleep(waitMs)
    }
  }

  async #withCheckout<T>(work: (checkout: Checkout) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    const checkout = this.#checkoutOf(client)
    let isLost = false
    try {
      return await work(checkout)
    } catch (error) {
      isLost = isDisconnected(error)
      throw error
    } finally {
      client.release(isLost || !checkout.isUsable)
    }
  }

  /** A connection keeps its shelves for as long as it lives. */
  #checkoutOf(client: PoolClient): Checkout {
    const known = this.#checkouts.get(client)
    if (known) return known
    const checkout = new Checkout(client, {
      location: this.location,
      skipsNotify: this.#skipsNotify,
      macs: this.#macs,
    })
    this.#checkouts.set(client, checkout)
    return checkout
  }

  async #askTime(): Promise<number> {
    const { rows } = await this.#pool.query<[number]>({
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision',
      rowMode: 'array',
    })
    return rows[0]?.[0] ?? Number.NaN
  }

  #reader(): Sql {
    return this.#translating(asSql(this.#pool, { isReader: true, macs: this.#macs }))
  }

  #translating(sql: Sql): Sql {
    const explained = <T>(result: Promise<T>): Promise<T> =>
      result.catch((error: unknown) => {
        throw this.#explain(error)
      })
    return {
      ...sql,
      all: (text, params) => explained(sql.all(text, params)),
      get: (text, params) => explained(sql.get(text, params)),
      run: (text, params) => explained(sql.run(text, params)),
    }
  }

  #explain(error: unknown): unknown {
    if (this.#closing) return this.#closed()
    // All connections were in use for as long as we may wait: that is a busy store, not one that cannot be reached.
    const { totalCount, idleCount, options } = this.#pool
    const isCrowded = idleCount === 0 && totalCount >= options.max && /timeout exceeded/.test(reasonOf(error))
    return isCrowded ? this.#busy(error) : storeError(error, this.location, this.#busyMs)
  }

  #busy(cause?: unknown): PosternError {
    return new PosternError('STORE_BUSY', { path: this.location, waited: `${this.#busyMs} ms` }, { cause })
  }

  #closed(): PosternError {
    return new PosternError('STORE_UNAVAILABLE', { path: this.location, reason: 'it was closed' })
  }
}
