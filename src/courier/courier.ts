import { monotonicMs } from '../kit/node/monotonic.ts'
import { type Backoff, createBackoff, jitter } from '../kit/pure/backoff.ts'
import { coalesce } from '../kit/pure/coalesce.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import type { Loop } from '../loops/loop.ts'
import { RING_ALL } from '../model/ring.ts'
import type { EngineWire, Listener } from '../wires/wire.ts'
import { createRound, type Round, type RoundOutcome, type RoundParams } from './round.ts'
import { createTaker, type Taker } from './taker.ts'

/** The part of a wire that a courier uses: rings, and copies if the engine stores them. */
export type CourierWire = Pick<EngineWire, 'listen' | 'health' | 'take'>

export interface CourierParams extends RoundParams {
  readonly wire: CourierWire
  readonly contentBytes: number
  /** How often the store is asked even if nobody rings. */
  readonly heartbeatMs: number
}

/** How often wire and store are checked, at least, and how often the store is asked while one of them is down. */
const DOWN_MS = 20_000

/** How often to check whether the spool was deleted. Its entries are lost then, and have to be put there again. */
const SPOOL_CHECK_MS = 2_000

/** A copy usually follows its ring. Waiting for it a little saves a second question to the store. */
const COPY_FOLLOWS_MS = 200

const LISTEN_FROM_MS = 500
const LISTEN_TO_MS = 5_000

/**
 * Puts an agent's mail into the spool of its session and wakes the agent. The store decides what is pending. A wire
 * only says when to ask, and its copies are used as they are only while the store cannot be asked. The courier asks at
 * the start, after every copy and ring (a wire that is back rings), and at every heartbeat.
 */
export class Courier implements Loop {
  /** Resolves when the first round has ended, whether or not the store could be reached. */
  readonly started: Promise<void>
  readonly #params: CourierParams
  readonly #round: Round
  readonly #taker: Taker
  readonly #next: () => Promise<RoundOutcome>
  readonly #retries: Backoff
  #listeners: readonly Listener[] = []
  #isStopped = false
  #wasUp = true
  /** When the store was last asked for all pending messages. */
  #wholeAt = Number.NEGATIVE_INFINITY
  #rung: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #beat: NodeJS.Timeout | undefined
  #look: NodeJS.Timeout
  #listening: Promise<void>
  #closing: Promise<void> | undefined

  constructor(params: CourierParams) {
    this.#params = params
    this.#round = createRound({ ...params, isStopped: () => this.#isStopped })
    this.#next = coalesce(() => this.#ask())
    this.#taker = createTaker({ ...params, round: this.#round, next: this.#next, ring: () => this.#onRing() })
    this.#retries = createBackoff({ minMs: LISTEN_FROM_MS, maxMs: LISTEN_TO_MS, random: params.random })
    this.started = this.#next().then(() => this.#beatLater())
    this.started.catch(() => {})
    this.#listening = this.#listen()
    this.#look = setInterval(() => this.#checkSpool(), SPOOL_CHECK_MS)
  }

  /** Asks the store now. */
  wake(): void {
    if (!this.#isStopped) this.#askSoon()
  }

  /** Takes no more copies. Resolves when the copies that were taken are stored or in the spool. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    this.#isStopped = true
    for (const timer of [this.#again, this.#beat, this.#rung]) clearTimeout(timer)
    clearInterval(this.#look)
    await this.#listening
    await Promise.all(this.#listeners.map((listener) => listener.close()))
    await Promise.all([this.started.catch(() => {}), this.#taker.idle()])
  }

  async #ask(): Promise<RoundOutcome> {
    const isWhole = this.#isBeatDue() || !this.#round.wasReached()
    const outcome = await this.#round.run({ isWhole })
    if (isWhole && outcome.isReached) this.#wholeAt = monotonicMs()
    // What could not be put into the spool is retried with the next heartbeat.
    if (outcome.trouble !== undefined) this.#wholeAt = Number.NEGATIVE_INFINITY
    if (outcome.againMs !== undefined && !this.#isStopped) {
      clearTimeout(this.#again)
      this.#again = setTimeout(() => this.#askSoon(), outcome.againMs)
    }
    return outcome
  }

  /** For callers that need no answer. Failures have been noted already. */
  #askSoon(): void {
    this.#next().catch(() => {})
  }

  #isBeatDue(): boolean {
    return monotonicMs() - this.#wholeAt >= this.#params.heartbeatMs
  }

  /** If the spool was deleted, all pending messages are put there again. */
  #checkSpool(): void {
    if (!this.#round.spool()?.noticeDeletion()) return
    this.#wholeAt = Number.NEGATIVE_INFINITY
    this.#askSoon()
  }

  /** Starts to listen, then asks the store once more for what came before. */
  async #listen(): Promise<void> {
    const { wire, agent, note } = this.#params
    try {
      this.#listeners = [await wire.listen([agent, RING_ALL], () => this.#onRing())]
      const copies = await wire.take?.(agent, this.#taker.take)
      if (copies) this.#listeners = [...this.#listeners, copies]
      this.#onRing()
    } catch (error) {
      for (const listener of this.#listeners) await listener.close()
      this.#listeners = []
      note('courier.wire.deaf', { reason: reasonOf(error) })
      if (this.#isStopped) return
      setTimeout(() => {
        if (!this.#isStopped) this.#listening = this.#listen()
      }, this.#retries.next()).unref()
    }
  }

  #onRing(): void {
    if (this.#isStopped || this.#rung) return
    const before = this.#round.count()
    const waitMs = this.#params.wire.take ? COPY_FOLLOWS_MS : 0
    this.#rung = setTimeout(() => {
      this.#rung = undefined
      if (this.#round.count() === before) this.#askSoon()
    }, waitMs)
  }

  #beatLater(): void {
    if (this.#isStopped) return
    const { heartbeatMs, random } = this.#params
    const everyMs = Math.min(DOWN_MS, heartbeatMs)
    // Jitter, so that couriers that were started together do not ask together for ever.
    const waitMs = jitter(everyMs * 0.9, everyMs, random)
    this.#beat = setTimeout(() => {
      this.#checkUp()
        .catch(() => {})
        .finally(() => this.#beatLater())
    }, waitMs)
  }

  async #checkUp(): Promise<void> {
    const { wire, note } = this.#params
    const { isUp, detail } = await wire.health()
    if (isUp !== this.#wasUp) note(isUp ? 'courier.wire.up' : 'courier.wire.down', { wire: detail })
    this.#wasUp = isUp
    if (!isUp || !this.#round.wasReached() || this.#isBeatDue()) await this.#next()
  }
}
