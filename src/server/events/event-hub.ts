import { sleep } from '../../kit/clock/sleep.ts'
import { within } from '../../kit/clock/within.ts'
import { createBackoff } from '../../kit/pure/backoff.ts'
import { lazy } from '../../kit/pure/lazy.ts'
import { asPosternError } from '../../model/errors.ts'
import type { EventPage } from '../../model/network/events.ts'
import type { Postern } from '../../model/postern.ts'
import type { Log } from '../log.ts'
import { type Bundle, bundlesOf, type Frame, formatFrame } from './frame.ts'

/** Somebody who has read up to a cursor and wants what comes after it. */
export interface Follower {
  readonly cursor: string
  /** What has happened, in order. Some of it may be known already. */
  deliver(news: News): void
  /** Resolves when it has passed on what it was told. */
  drained(): Promise<void>
  /** It was too slow: from now on it is not told anything, until it joins again. */
  fallBehind(): void
  /** The hub cannot go on where it was: come back later, with the last cursor. */
  lose(): void
}

/** What was read at once. */
export interface News {
  readonly frames: readonly Frame[]
  /** The same frames, put together for whoever wants every one of them. */
  readonly bundles: () => Iterable<Bundle>
  /** Everything up to it is told. */
  readonly cursor: string
}

export interface HubOptions {
  /** Sees everything. */
  readonly postern: Pick<Postern, 'events'>
  readonly log: Log
}

const PAGE = 50
const WAIT_MS = 30_000
/** How long the next page waits for those who still have to do with this one. */
const PACE_MS = 250
const RETRY = { minMs: 50, maxMs: 5_000, random: Math.random }

/** What was read last is remembered, so that whoever comes near the end need not race with what is being written. */
const REMEMBERED = 8_000
const REMEMBERED_BYTES = 8 * 1024 * 1024

/**
 * The one who reads what happens, for all who follow it on this server: a thousand of them cost the store as much as
 * one. It reads only while somebody follows.
 *
 *   resting ─first joins→ reading ─last leaves→ resting
 */
export class EventHub {
  readonly #options: HubOptions
  readonly #followers = new Set<Follower>()
  /** How far it has read, and where its memory begins. */
  #cursor = ''
  #memoryFrom = ''
  #memory: Frame[] = []
  #memoryBytes = 0
  #reading: AbortController | undefined

  constructor(options: HubOptions) {
    this.#options = options
  }

  /**
   * From now on the follower is told everything that comes after its cursor; what the hub has read already at once. False
   * where that is more than it remembers: read on, and try again.
   */
  join(follower: Follower): boolean {
    if (!this.#reading) this.#start(follower.cursor)
    else if (follower.cursor < this.#memoryFrom) return false
    this.#followers.add(follower)
    if (follower.cursor < this.#cursor) {
      const frames = this.#memory.filter(({ event }) => event.cursor > follower.cursor)
      follower.deliver({ frames, bundles: () => bundlesOf(frames), cursor: this.#cursor })
    }
    return true
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower)
    if (this.#followers.size === 0) this.#stop()
  }

  #start(cursor: string): void {
    this.#cursor = cursor
    this.#forget(cursor)
    this.#reading = new AbortController()
    void this.#read(this.#reading.signal)
  }

  #stop(): void {
    this.#reading?.abort()
    this.#reading = undefined
    this.#forget('')
  }

  async #read(signal: AbortSignal): Promise<void> {
    const backoff = createBackoff(RETRY)
    while (!signal.aborted) {
      try {
        const wanted = { after: this.#cursor, limit: PAGE, timeoutMs: WAIT_MS, signal }
        const page = await this.#options.postern.events.wait(wanted)
        if (signal.aborted) return
        this.#tell(page)
        backoff.reset()
        await this.#keepPace()
      } catch (error) {
        if (signal.aborted) return
        this.#fail(error)
        await sleep(backoff.next(), { signal })
      }
    }
  }

  #tell({ items, cursor, hasGap }: EventPage): void {
    if (hasGap) {
      // Each of them finds out for itself what it has missed.
      this.#loseAll()
      return
    }
    const frames = items.map(formatFrame)
    this.#cursor = cursor
    this.#remember(frames)
    // Put together once, however many want all of it.
    const news = { frames, bundles: lazy(() => [...bundlesOf(frames)]), cursor }
    for (const follower of [...this.#followers]) follower.deliver(news)
  }

  /**
   * What was told goes out before there is more of it. Whoever takes nothing delays the others once, and only for a
   * moment.
   */
  async #keepPace(): Promise<void> {
    const slow = new Set(this.#followers)
    const all = Promise.all([...slow].map((follower) => follower.drained().then(() => slow.delete(follower))))
    await within(PACE_MS, all, [])
    for (const follower of slow) {
      if (!this.#followers.has(follower)) continue
      this.leave(follower)
      follower.fallBehind()
    }
  }

  /** A store that is away comes back. A cursor that is not known any more never will be. */
  #fail(thrown: unknown): void {
    const { code, message } = asPosternError(thrown)
    this.#options.log.note('events.failed', { code, reason: message })
    if (code === 'CURSOR_UNKNOWN') this.#loseAll()
  }

  #loseAll(): void {
    this.#stop()
    const lost = [...this.#followers]
    this.#followers.clear()
    for (const follower of lost) follower.lose()
  }

  #remember(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.#memory.push(frame)
      this.#memoryBytes += frame.bytes.length
    }
    while (this.#memory.length > REMEMBERED || this.#memoryBytes > REMEMBERED_BYTES) {
      const oldest = this.#memory.shift()
      if (!oldest) return
      this.#memoryFrom = oldest.event.cursor
      this.#memoryBytes -= oldest.bytes.length
    }
  }

  #forget(cursor: string): void {
    this.#memory = []
    this.#memoryBytes = 0
    this.#memoryFrom = cursor
  }
}
