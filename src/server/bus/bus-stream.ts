import { nextTurn } from '../../kit/node/event-loop.ts'
import { beginStream } from '../events/begin.ts'
import type { Outlet } from '../events/outlet.ts'
import type { EventStream } from '../events/sse.ts'
import type { Streaming } from '../exchange.ts'
import { formatGap, formatHeartbeat, formatPlace } from './entry-frame.ts'
import type { EntryNews, SharedWaits } from './shared-waits.ts'
import { BEGINNING, startOf } from './stream-start.ts'

export interface BusStreamMeans {
  readonly waits: SharedWaits
  readonly now: () => number
  /** Something went wrong that the client will make good by coming back. */
  readonly note: (error: unknown) => void
  readonly heartbeatMs: number
}

/** Answers with what comes on a bus. Throws before the first byte where the request asks for something that cannot be. */
export async function openBusStream(
  streaming: Streaming,
  params: Readonly<Record<string, string>>,
  { waits, now, note, heartbeatMs }: BusStreamMeans,
): Promise<EventStream> {
  const { from, news, wantedAfter } = await startOf(streaming, params)
  const { outlet, ended } = beginStream(streaming)
  const next = (cursor: string) => waits.next(wantedAfter(cursor), streaming.gone())
  const stream = new BusStream({ outlet, now, next, from })
  const heart = setInterval(() => stream.heartbeat(), heartbeatMs)
  stream.follow(news).catch((error: unknown) => {
    note(error)
    streaming.response.destroy()
  })
  return {
    beat: () => outlet.dropIfStalled(),
    end: () => outlet.end(),
    ended: ended.then(() => clearInterval(heart)),
  }
}

export interface BusStreamOptions {
  readonly outlet: Outlet
  readonly now: () => number
  readonly from: string
  /** What comes after a cursor, or nothing after a while; undefined when the client has gone. */
  readonly next: (cursor: string) => Promise<EntryNews | undefined>
}

/**
 * What one client is sent: everything after the place at which it came, each entry once, in order. Whoever takes less
 * than comes reads at its own pace: what it has not taken is not kept for it here, but read again.
 */
export class BusStream {
  readonly #options: BusStreamOptions
  /** Everything up to it was sent, or is not wanted. */
  #cursor: string
  /** The last id that the client was sent. */
  #sent = ''

  constructor(options: BusStreamOptions) {
    this.#options = options
    this.#cursor = options.from
  }

  /** Resolves when the client has gone. */
  async follow(first: EntryNews): Promise<void> {
    const { outlet, next } = this.#options
    for (let news: EntryNews | undefined = first; news; news = await next(this.#cursor)) {
      this.#send(news)
      // Whoever is cut off before the first entry must know where that was.
      if (this.#sent === '') this.#sendPlace()
      if (outlet.isFull) await outlet.drained()
      if (!outlet.isOpen) return
      // Others want their turn while this one catches up.
      await nextTurn()
    }
  }

  heartbeat(): void {
    const { outlet, now } = this.#options
    const isNew = this.#sent !== this.#cursor
    this.#sent = this.#cursor
    outlet.send(formatHeartbeat(now(), isNew ? this.#cursor : undefined))
  }

  #send({ bundles, cursor, hasGap }: EntryNews): void {
    const { outlet, now } = this.#options
    if (hasGap) {
      this.#sendPlace()
      outlet.send(formatGap(this.#cursor, now()))
    }
    for (const bundle of bundles()) {
      if (outlet.isFull) return
      outlet.send(bundle.bytes)
      this.#sent = bundle.cursor
      this.#cursor = bundle.cursor
    }
    // Where a bus was emptied, whatever comes is new.
    this.#cursor = cursor ?? (hasGap ? BEGINNING : this.#cursor)
  }

  #sendPlace(): void {
    this.#sent = this.#cursor
    this.#options.outlet.send(formatPlace(this.#cursor))
  }
}
