import { nextTurn } from '../../kit/node/event-loop.ts'
import type { Caller } from '../../model/caller.ts'
import { type EventFilter, isWanted, visiblePart } from '../../model/network/event.ts'
import type { EventPage } from '../../model/network/events.ts'
import type { EventHub, Follower, News } from './event-hub.ts'
import { type Bundle, bundlesOf, type Frame, formatBeat, formatFrame, formatGap } from './frame.ts'
import type { Outlet } from './outlet.ts'

export interface StreamOptions {
  readonly outlet: Outlet
  readonly hub: EventHub
  readonly now: () => number
  readonly caller: Caller
  readonly wanted: EventFilter
  /** What the caller may see and wants, after a cursor. */
  readonly list: (after: string) => Promise<EventPage>
  readonly from: string
}

/**
 * What one client is sent: everything after the cursor it came with, each event once, in order.
 *
 *   catching up ─nothing left in the store→ with the hub ─takes less than comes→ catching up
 *
 * Whoever catches up reads from the store at its own pace, a page when the one before was taken, so that nobody has
 * much waiting for it here.
 */
export class Stream implements Follower {
  readonly #options: StreamOptions
  /** Everything up to it was sent, or is not for this client. */
  #cursor: string
  /** The last id that the client was sent. */
  #sent = ''

  constructor(options: StreamOptions) {
    this.#options = options
    this.#cursor = options.from
  }

  get cursor(): string {
    return this.#cursor
  }

  /** Resolves when the hub knows the rest, or the client has gone. */
  async follow(first?: EventPage): Promise<void> {
    const { outlet, hub, list } = this.#options
    for (let page = first; ; page = undefined) {
      page ??= await list(this.#cursor)
      await this.#sendPage(page)
      if (!outlet.isOpen || (!page.hasMore && hub.join(this))) return
      await outlet.drained()
      // Reading the embedded store never waits, and others want their turn.
      await nextTurn()
    }
  }

  deliver(news: News): void {
    const { outlet, hub } = this.#options
    for (const { bytes, cursor } of this.#bundlesOf(news)) {
      if (outlet.isFull) {
        hub.leave(this)
        this.fallBehind()
        return
      }
      outlet.send(bytes)
      this.#sent = cursor
      this.#cursor = cursor
    }
    if (news.cursor > this.#cursor) this.#cursor = news.cursor
  }

  drained(): Promise<void> {
    return this.#options.outlet.drained()
  }

  fallBehind(): void {
    void this.#catchUp()
  }

  lose(): void {
    this.#options.outlet.end()
  }

  beat(): void {
    const { outlet } = this.#options
    outlet.dropIfStalled()
    const isNew = this.#sent !== this.#cursor
    this.#sent = this.#cursor
    outlet.send(formatBeat(isNew ? this.#cursor : undefined))
  }

  close(): void {
    this.#options.hub.leave(this)
  }

  /** Mostly the hub still remembers the rest, and the store need not be asked. */
  async #catchUp(): Promise<void> {
    const { outlet, hub } = this.#options
    await outlet.drained()
    if (!outlet.isOpen || hub.join(this)) return
    // Where the store cannot be read, the client comes back when it can.
    await this.follow().catch(() => outlet.end())
  }

  /** Those who want everything share what was put together for all of them. */
  #bundlesOf({ frames, bundles }: News): Iterable<Bundle> {
    const own = frames.flatMap((frame) => this.#ownFrame(frame) ?? [])
    const isAll = own.length === frames.length && own.every((frame, index) => frame === frames[index])
    return isAll ? bundles() : bundlesOf(own)
  }

  /** The frame itself where the client may see all of the event. */
  #ownFrame(frame: Frame): Frame | undefined {
    const { caller, wanted } = this.#options
    if (frame.cursor <= this.#cursor) return undefined
    const visible = visiblePart(caller, frame.event)
    if (!visible || !isWanted(visible, wanted)) return undefined
    return visible === frame.event ? frame : formatFrame(visible)
  }

  async #sendPage({ items, cursor, hasGap }: EventPage): Promise<void> {
    const { outlet, now } = this.#options
    const gap = hasGap ? [formatGap(this.#cursor, now())] : []
    for (const bundle of bundlesOf([...gap, ...items.map(formatFrame)])) {
      if (outlet.isFull) await outlet.drained()
      outlet.send(bundle.bytes)
      this.#sent = bundle.cursor
      this.#cursor = bundle.cursor
    }
    this.#cursor = cursor
  }
}
