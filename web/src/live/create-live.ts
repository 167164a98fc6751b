import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { asProblem, type Problem } from '../api/problem.ts'
import { connection, GAP, listen, type News } from './connection.ts'

/** Something that is loaded, and loaded again when an event says that it may have changed. */
export interface Live<T> {
  readonly value: ReadonlySignal<T | undefined>
  readonly problem: ReadonlySignal<Problem | undefined>
  /** True until the first answer or refusal. */
  readonly isLoading: ReadonlySignal<boolean>
  refresh(): void
}

/** A `Live` with a life: it asks and listens from its start to its stop. */
export interface LiveSource<T> extends Live<T> {
  /** Changes what was loaded, where what has changed is known. */
  amend(change: (value: T) => T): void
  start(): void
  stop(): void
}

/** Types of events, or nouns as `gate.*`, that make it load again; or a look at the event itself. */
export type Reasons = readonly string[] | ((news: News) => boolean)

export interface Loading<T> {
  load(): Promise<T>
  readonly on?: Reasons
}

/** Many events at once are one reason to load, and a busy server is not asked for the same all the time. */
const GATHER_MS = 120
const APART_MS = 600

export function createLive<T>({ load, on = [] }: Loading<T>): LiveSource<T> {
  const value = signal<T | undefined>(undefined)
  const problem = signal<Problem | undefined>(undefined)
  let isRunning = false
  let isBusy = false
  let isStale = false
  let askedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let ends: readonly (() => void)[] = []

  async function run(): Promise<void> {
    if (isBusy) {
      isStale = true
      return
    }
    isBusy = true
    askedAt = performance.now()
    try {
      const answer = await load()
      if (!isRunning) return
      value.value = answer
      problem.value = undefined
    } catch (error) {
      if (isRunning) problem.value = asProblem(error)
    } finally {
      isBusy = false
      if (isStale && isRunning) soon()
      isStale = false
    }
  }

  /** What comes while it is about to load needs no more: events that never cease must not put it off for ever. */
  function soon(): void {
    const waitMs = Math.max(GATHER_MS, askedAt + APART_MS - performance.now())
    timer ??= setTimeout(() => {
      timer = undefined
      void run()
    }, waitMs)
  }

  return {
    value,
    problem,
    isLoading: computed(() => value.value === undefined && problem.value === undefined),
    refresh: () => void run(),
    amend(change) {
      if (value.peek() !== undefined) value.value = change(value.peek() as T)
      // What is being loaded now may be older.
      if (isBusy) isStale = true
    },
    start() {
      if (isRunning) return
      isRunning = true
      void run()
      const unlisten = listen((news) => isWanted(on, news) && soon())
      // What failed while the server was away is asked for again when it is back.
      const unwatch = connection.subscribe((state) => state === 'live' && problem.peek() && soon())
      ends = [unlisten, unwatch]
    },
    stop() {
      isRunning = false
      clearTimeout(timer)
      timer = undefined
      for (const end of ends) end()
      ends = []
    },
  }
}

export function isWanted(on: Reasons, news: News): boolean {
  if (news.type === GAP) return true
  if (typeof on === 'function') return on(news)
  return on.some((type) => (type.endsWith('.*') ? news.type.startsWith(type.slice(0, -1)) : news.type === type))
}
