import { realpathSync, statSync } from 'node:fs'
import { sleep } from '../../kit/clock/sleep.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { PosternError } from '../../model/errors.ts'
import type { PushResult } from '../../model/postern.ts'
import type { MessageMacs } from '../message-macs.ts'
import type { Sql } from '../sql.ts'
import type { PushParams, Shelves, Store, TransactOptions } from '../store.ts'
import { createStoreClock, type StoreClock } from './clock/store-clock.ts'
import { observeWrites } from './concerns.ts'
import { asSql, Connection } from './connection.ts'
import { isBusy } from './errors.ts'
import { tendLog } from './log.ts'
import { isAccountedFor, LogEnd } from './log-end.ts'
import { openConnection } from './open.ts'
import type { Queue, Turn } from './queue.ts'
import { type QuietFolder, quietFolderOf } from './quiet.ts'
import { QuietMarks } from './quiet-marks.ts'
import type { OpenedStore } from './schema.ts'
import type { Sharing } from './sharing.ts'
import { createShelves } from './shelves.ts'
import { type VerbOptions, Writer } from './writer.ts'

export interface SqliteOptions {
  readonly path: string
  /** The machine's clock by default; a step of that changes nothing until it has lasted. */
  readonly now?: (() => number) | undefined
  readonly random: () => number
  /** How long to wait for other processes before giving up. */
  readonly busyMs?: number | undefined
  /** Is used as long as it is good. To close the store leaves it open: it is somebody else's. */
  readonly opened?: OpenedStore | undefined
  /** For a short command, which may lock out all others where the disk is full: then it can still read. */
  readonly isBrief?: boolean | undefined
  /** Called after the file of a new store was created. */
  readonly onCreated?: (() => Promise<void>) | undefined
  /** For a process that many ask at once. To close the store closes what it has open. */
  readonly sharing?: Sharing | undefined
  /** Undefined for a store without MACs. */
  readonly macs?: MessageMacs | undefined
}

const DEFAULT_BUSY_MS = 10_000
const READ_RETRY_MS = 1
const FOLLOW_PATIENCE_MS = 50

/** Opens the embedded store. Many processes may share one file; none of them needs a server. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const store = new SqliteStore(options)
  await store.connect()
  return store
}

class SqliteStore implements Store {
  readonly engine = 'sqlite'
  readonly location: string
  readonly now: () => number
  readonly read: Shelves
  readonly #options: SqliteOptions
  readonly #writer: Writer
  readonly #logEnd: LogEnd
  readonly #shelves: Shelves
  /** Undefined if the clock was given. */
  readonly #clock?: StoreClock
  readonly #quietMarks = new QuietMarks(() => this.#forReading())
  /** What was opened for us, until it is taken. */
  #lent: OpenedStore | undefined
  #connection: Connection | undefined
  #reader: Connection | undefined
  #opening: Promise<Connection> | undefined
  #queue: Queue | undefined
  #quiet: QuietFolder | undefined
  #inode = 0
  #hasLost = false
  #closed = false
  #following: Promise<void> | undefined

  constructor(options: SqliteOptions) {
    this.#options = options
    this.#lent = options.opened
    this.location = options.path
    if (options.now) this.now = options.now
    else {
      const clock = createStoreClock(options.path)
      this.#clock = clock
      this.now = () => clock.now()
    }
    this.#logEnd = new LogEnd(options.path)
    this.#writer = new Writer({
      path: options.path,
      connect: () => this.connect(),
      giveUp: () => this.#disconnect(),
      random: options.random,
      now: monotonicMs,
      busyMs: options.busyMs ?? DEFAULT_BUSY_MS,
      takeTurn: (timeoutMs) => this.#takeTurn(timeoutMs),
      observer: this.#quietMarks,
      logEnd: this.#logEnd,
      tendLog: options.sharing?.log.tend ?? tendLog,
      gather: options.sharing?.gather ?? gatherCall,
    })
    const writing = asSql(options.path, () => this.#current(), options.macs)
    const shelves = createShelves({
      sql: writing,
      connection: () => this.#current(),
      markQuiet: async (params) => this.#quietMarks.markQuiet(params),
    })
    this.#shelves = observeWrites(shelves, this.#quietMarks.note)
    const reading = asSql(options.path, () => this.#forReading(), options.macs)
    const read = createShelves({
      sql: patient(reading, () => this.#reopened(), options),
      connection: () => this.#forReading(),
      markQuiet: async () => false,
    })
    this.read = options.sharing?.readAside?.(read, () => this.#aside()) ?? read
  }

  ago(ms: number): number {
    return this.#clock?.ago(ms) ?? this.now() - ms
  }

  transact<T>(verb: (tx: Shelves) => Promise<T>, options?: TransactOptions): Promise<T> {
    return this.#write(() => verb(this.#shelves), options)
  }

  single<T>(call: (tx: Shelves) => Promise<T>, options?: TransactOptions): Promise<T> {
    return this.transact(call, options)
  }

  push(params: PushParams): Promise<readonly PushResult[]> {
    // One message is refused before anything is written; of several, some may be written by then.
    const isCheckedFirst = params.items.length === 1
    return this.#write(() => this.#shelves.messages.push(params), { isCheckedFirst })
  }

  get hasLost(): boolean {
    return this.#hasLost
  }

  async check() {
    const { checkConnection } = await import('./maintenance.ts')
    return checkConnection(await this.connect(), await this.#aside(), this.#clock)
  }

  async audit({ limit }: { readonly limit: number }) {
    const { findViolations } = await import('./maintenance.ts')
    return findViolations(await this.#aside(), limit)
  }

  async verify() {
    const { verifyStore } = await import('./maintenance.ts')
    return verifyStore(this, await this.connect(), this.#options.macs)
  }

  async backup(path: string) {
    const { backupTo } = await import('./maintenance.ts')
    return backupTo(this, await this.connect(), { path, macs: this.#options.macs })
  }

  async close(): Promise<void> {
    await this.#writer.idle()
    this.#closed = true
    await this.#options.sharing?.log.close()
    await this.#options.sharing?.aside?.close()
    this.#disconnect()
  }

  /** The write connection, made anew where it was given up or its file was replaced under it. */
  async connect(): Promise<Connection> {
    if (this.#closed) throw new PosternError('STORE_UNAVAILABLE', { path: this.location, reason: 'it was closed' })
    if (this.#connection) {
      if (inodeOf(this.location) === this.#inode) return this.#connection
      this.#disconnect()
      // Whatever is there now, the quiet files do not speak of it.
      this.#quiet?.removeAll()
      throw new PosternError('STORE_UNAVAILABLE', { path: this.location, reason: 'its file was removed or replaced' })
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #open(): Promise<Connection> {
    const lent = this.#lent
    this.#lent = undefined
    this.#connection = await openConnection({ ...this.#options, opened: lent?.connection })
    this.#inode = this.#connection === lent?.connection ? lent.inode : inodeOf(this.location)
    // As SQLite does: whoever opens the store by another name keeps the same files beside it.
    this.#quiet = quietFolderOf(realpathSync.native(this.location))
    this.#quietMarks.use(this.#quiet)
    await this.#accountForLog(this.#connection)
    return this.#connection
  }

  /** Whatever keeps a process from this shows itself in what it was asked to do. */
  async #accountForLog(connection: Connection): Promise<void> {
    try {
      if (isAccountedFor(connection)) return
      // Changes are missing, or another store is in place: the quiet files describe what was there before.
      this.#quiet?.removeAll()
      const { recordLoss } = await import('./maintenance.ts')
      this.#hasLost ||= recordLoss(connection, this.#logEnd, this.now())
    } catch {
      // The loss stays visible until it is recorded.
    }
  }

  #write<T>(verb: () => Promise<T>, options?: VerbOptions): Promise<T> {
    const result = this.#writer.transact(verb, options)
    // Follow after the write, because the write took its times from the old clock.
    return this.#clock?.lastingStepMs ? result.finally(() => this.#followClock()) : result
  }

  /** The machine's clock was changed for good. If it cannot be followed now, the next write tries again. */
  #followClock(): Promise<void> {
    const follow = async (clock: StoreClock) => {
      const { followStep } = await import('./maintenance.ts')
      await followStep({
        clock,
        macs: this.#options.macs,
        write: (work) => this.#writer.transact(async () => work(this.#current()), { patienceMs: FOLLOW_PATIENCE_MS }),
      })
    }
    this.#following ??= (this.#clock ? follow(this.#clock) : Promise.resolve())
      .catch(() => {})
      .finally(() => {
        this.#following = undefined
      })
    return this.#following
  }

  /** For reads that take as long as the store is large. Whatever else is asked for need not wait for them. */
  async #aside(): Promise<Sql> {
    await this.connect()
    const here = asSql(this.location, () => this.#forReading(), this.#options.macs)
    return this.#options.sharing?.aside?.sql({ path: this.location, inode: this.#inode }, here) ?? here
  }

  /** Most processes never meet another at the lock, so the line is loaded on use. */
  async #takeTurn(timeoutMs: number): Promise<Turn | undefined> {
    if (!this.#queue) {
      const { createQueue } = await import('./queue.ts')
      this.#queue = createQueue(this.location)
    }
    return this.#queue.wait(timeoutMs)
  }

  /** Resolves when there is a connection again; undefined where the present one is good. */
  #reopened(): Promise<unknown> | undefined {
    return this.#connection && inodeOf(this.location) === this.#inode ? undefined : this.connect()
  }

  #current(): Connection {
    if (!this.#connection)
      throw new PosternError('STORE_UNAVAILABLE', { path: this.location, reason: 'it is not open' })
    return this.#connection
  }

  /** The write connection serves reads too while no transaction is open; a second one is opened only when needed. */
  #forReading(): Connection {
    if (!this.#writer.isWriting) return this.#current()
    this.#reader ??= new Connection(this.location, { busyMs: 0 })
    return this.#reader
  }

  #disconnect(): void {
    const { opened } = this.#options
    this.#logEnd.close()
    for (const each of [this.#reader, this.#connection, this.#queue]) if (each !== opened?.connection) each?.close()
    this.#reader = undefined
    this.#connection = undefined
  }
}

/** Whatever else is asked for by the same call joins the group. */
const gatherCall = () => Promise.resolve()

/** Reads meet a lock only while the log is reset or recovered; they try again for as long as writers would. */
function patient(
  sql: Sql,
  reopened: () => Promise<unknown> | undefined,
  { path, busyMs = DEFAULT_BUSY_MS }: SqliteOptions,
): Sql {
  const retrying = async <T>(call: () => Promise<T>): Promise<T> => {
    const deadline = monotonicMs() + busyMs
    for (;;) {
      try {
        const opening = reopened()
        if (opening) await opening
        return await call()
      } catch (error) {
        if (!isBusy(error)) throw error
        if (monotonicMs() > deadline) {
          throw new PosternError('STORE_BUSY', { path, waited: `${busyMs} ms` }, { cause: error })
        }
        await sleep(READ_RETRY_MS)
      }
    }
  }
  return {
    ...sql,
    all: (text, params) => retrying(() => sql.all(text, params)),
    get: (text, params) => retrying(() => sql.get(text, params)),
    run: (text, params) => retrying(() => sql.run(text, params)),
  }
}

function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0
}
