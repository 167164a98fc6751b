import { sleep } from '../../kit/clock/sleep.ts'
import { sleepSync } from '../../kit/node/sleep-sync.ts'
import { PosternError } from '../../model/errors.ts'
import type { TransactOptions } from '../store.ts'
import type { Connection } from './connection.ts'
import { isBusy, isPoisoned, storeError } from './errors.ts'
import { type LogEnd, lastEvent } from './log-end.ts'
import type { Turn } from './queue.ts'
import { isSuspect, readMark } from './suspect.ts'

/** How a writer gets at its connection, and at time and chance. */
export interface WriterOptions {
  /** Opens the connection on first use, and anew after it was given up. */
  readonly connect: () => Promise<Connection>
  readonly giveUp: () => void
  readonly path: string
  readonly random: () => number
  /** Milliseconds that never go back. */
  readonly now: () => number
  /** How long a verb may wait for other processes. */
  readonly busyMs: number
  /** Lines up with the writers of other processes; undefined where there is no line. */
  readonly takeTurn: (timeoutMs: number) => Promise<Turn | undefined>
  readonly observer: TransactionObserver
  readonly logEnd: LogEnd
  /** Is called after the first commit, and every so many. */
  readonly tendLog: (connection: Connection, isFirst: boolean) => void
  /** Resolves when whoever else is about to write has had the time to say so. */
  readonly gather: () => Promise<void>
}

/** Keeps files outside the store true to it, whether or not a group commits. */
export interface TransactionObserver {
  /** A group has begun. No other process can write until it ends. */
  begin(connection: Connection): void
  /** One of the group's verbs was rolled back. */
  takeBack(): void
  /** Throws if the group must not commit. */
  beforeCommit(): void
}

export interface VerbOptions extends TransactOptions {
  /**
   * True: it refuses by a PosternError before it has written anything, so nothing of it has to be taken back. A savepoint
   * would cost it a copy of every page that it changes.
   */
  readonly isCheckedFirst?: boolean
}

interface Job extends Required<Omit<VerbOptions, 'answers'>> {
  readonly verb: () => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Settled {
  readonly job: Job
  readonly value: unknown
}

const MAX_GROUP = 1_000

/** Commits of this process between two looks at the log; the first is looked after too, for short commands. */
const TEND_EVERY = 32

/** Whoever waited longer than this waited for several others, and lines up before it asks the next few times. */
const CROWD_MS = 1.5
const CROWD_REMEMBERED = 16

/** A verb that had no savepoint has failed half-way. */
class HalfDone extends Error {}

/**
 * Group commit: every verb that waits when the lock is got goes into one transaction, each in a savepoint of its own
 * unless all of them check first, and all are answered after the one COMMIT. A verb that fails takes back only itself; a
 * failed COMMIT rejects all.
 */
export class Writer {
  readonly #options: WriterOptions
  #queue: Job[] = []
  #running: Promise<void> | undefined
  #inTransaction = false
  #commits = 0
  /** Above zero while many were met at the lock not long ago. */
  #crowd = 0

  constructor(options: WriterOptions) {
    this.#options = options
  }

  /** True while a transaction is open on the connection, when a reader must not use it. */
  get isWriting(): boolean {
    return this.#inTransaction
  }

  transact<T>(
    verb: () => Promise<T>,
    { patienceMs = this.#options.busyMs, isDurable = true, isCheckedFirst = false }: VerbOptions = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ verb, patienceMs, isDurable, isCheckedFirst, resolve: resolve as Job['resolve'], reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when everything that was asked for is answered. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#options.gather()
      const isDurable = this.#queue.some((job) => job.isDurable)
      try {
        const connection = await this.#begin(isDurable)
        await this.#group(connection, this.#takeGroup(isDurable), isDurable)
      } catch (error) {
        for (const job of this.#queue.splice(0)) job.reject(error)
      }
    }
    // In the same turn as the look at the queue, so that no verb falls between the two.
    this.#running = undefined
  }

  /** While the lock was waited for, a verb that must last may have joined those that need not: it goes with the next. */
  #takeGroup(isDurable: boolean): readonly Job[] {
    const firstDurable = isDurable ? -1 : this.#queue.findIndex((job) => job.isDurable)
    return this.#queue.splice(0, firstDurable === -1 ? MAX_GROUP : Math.min(firstDurable, MAX_GROUP))
  }

  async #group(connection: Connection, jobs: readonly Job[], isDurable: boolean): Promise<void> {
    this.#inTransaction = true
    const settled: Settled[] = []
    readMark(connection.path)
    // In a store with a corrupt page a push reads back what it has written, and may refuse only then.
    const isRefusedFirst = !isSuspect(connection.path) && jobs.every((job) => job.isCheckedFirst)
    const isGuarded = jobs.length > 1 && !isRefusedFirst
    let done = 0
    try {
      this.#options.observer.begin(connection)
      for (const job of jobs) {
        await this.#attempt(connection, job, isGuarded, settled)
        done++
      }
      if (settled.length > 0) this.#options.observer.beforeCommit()
      const last = isDurable ? lastEvent(connection) : undefined
      connection.run(settled.length > 0 ? 'COMMIT' : 'ROLLBACK')
      if (last !== undefined && settled.length > 0) this.#options.logEnd.write(last)
    } catch (error) {
      this.#abandon(connection, error)
      if (error instanceof HalfDone) {
        const left = [...settled.map(({ job }) => job), ...jobs.slice(done)]
        this.#queue.unshift(...left.map((job) => ({ ...job, isCheckedFirst: false })))
        return
      }
      // Also those that had no turn yet; whoever was rejected before keeps that answer.
      for (const job of jobs) job.reject(storeError(error, connection.path))
      return
    } finally {
      this.#inTransaction = false
      connection.waitForDisk(true)
    }
    for (const { job, value } of settled) job.resolve(value)
    if (settled.length > 0 && this.#commits++ % TEND_EVERY === 0) this.#tend(connection)
  }

  /** A log that could not be tended now is tended later. */
  #tend(connection: Connection): void {
    try {
      this.#options.tendLog(connection, this.#commits === 1)
    } catch (error) {
      if (isPoisoned(error)) this.#options.giveUp()
    }
  }

  async #attempt(connection: Connection, job: Job, isGuarded: boolean, settled: Settled[]): Promise<void> {
    if (isGuarded) connection.run('SAVEPOINT verb')
    try {
      settled.push({ job, value: await job.verb() })
      if (isGuarded) connection.run('RELEASE verb')
    } catch (error) {
      if (isPoisoned(error) || isPoisoned((error as Error).cause)) {
        settled.push({ job, value: undefined })
        throw error
      }
      if (isGuarded) takeBack(connection, error)
      else if (job.isCheckedFirst && !(error instanceof PosternError)) throw new HalfDone('a verb has failed half-way')
      this.#options.observer.takeBack()
      job.reject(storeError(error, connection.path))
    }
  }

  #abandon(connection: Connection, error: unknown): void {
    try {
      connection.run('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself.
    }
    if (isPoisoned(error)) this.#options.giveUp()
  }

  /**
   * Gets the write lock without SQLite's busy handler. Whoever finds it taken lines up, and for a while at once: the first
   * in the line, or everybody where there is none, asks again after short waits.
   */
  async #begin(isDurable: boolean): Promise<Connection> {
    const startedAt = this.#options.now()
    let turn: Turn | undefined
    try {
      if (this.#crowd > 0) turn = await this.#options.takeTurn(this.#patienceMs())
      for (let attempt = 0; ; attempt++) {
        const connection = await this.#tryBegin(isDurable)
        if (connection) {
          // A connection that took long to open says nothing about other writers.
          const hasMetOthers = turn !== undefined || attempt > 0
          const isCrowded = hasMetOthers && this.#options.now() - startedAt > CROWD_MS
          this.#crowd = isCrowded ? CROWD_REMEMBERED : Math.max(0, this.#crowd - 1)
          return connection
        }
        const waited = this.#options.now() - startedAt
        const left = this.#patienceMs() - waited
        if (left < 0)
          throw new PosternError('STORE_BUSY', { path: this.#options.path, waited: `${Math.round(waited)} ms` })
        if (attempt === 0 && !turn) turn = await this.#options.takeTurn(left)
        else await pause(attempt, this.#options.random, turn !== undefined && this.#crowd > 0)
      }
    } finally {
      turn?.end()
    }
  }

  /** Undefined where somebody else writes. */
  async #tryBegin(isDurable: boolean): Promise<Connection | undefined> {
    const connection = await this.#options.connect()
    try {
      connection.waitForDisk(isDurable)
      connection.run('BEGIN IMMEDIATE')
      return connection
    } catch (error) {
      connection.waitForDisk(true)
      if (isBusy(error)) return undefined
      if (isPoisoned(error)) this.#options.giveUp()
      throw storeError(error, connection.path)
    }
  }

  /** The most patient of those who wait by now decides for all. */
  #patienceMs(): number {
    return Math.max(...this.#queue.map((job) => job.patienceMs))
  }
}

/** Where SQLite has rolled back the whole transaction by itself, the savepoint is gone and all verbs share the error. */
function takeBack(connection: Connection, error: unknown): void {
  try {
    connection.run('ROLLBACK TO verb')
    connection.run('RELEASE verb')
  } catch {
    throw error
  }
}

/**
 * The first waits are shorter than a timer can be and sleep outright; later ones give the event loop its turn. The
 * first in a long line has nobody to give way to and asks as often as it can, for a little longer than a commit takes.
 */
function pause(attempt: number, random: () => number, isFirst: boolean): Promise<void> {
  if (attempt < (isFirst ? 24 : 4)) {
    sleepSync(isFirst ? 0.01 : 0.1 + random() * 0.3)
    return Promise.resolve()
  }
  return sleep(random() * 2)
}
