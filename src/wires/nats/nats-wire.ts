import type { Random } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Message } from '../../model/message.ts'
import { RING_EVENTS } from '../../model/ring.ts'
import { type Copy, type EngineWire, type Listener, parseRingName, type WireHealth } from '../wire.ts'
import { parseNatsUrl } from './address.ts'
import { carryCopies } from './carry.ts'
import { flush } from './flush.ts'
import { createLink, type Note } from './link.ts'
import { openSession, type Session } from './session.ts'
import type { StreamSeen } from './stream.ts'
import { ringSubject } from './subjects.ts'
import { createNatsSubscriptions, type Waiter } from './subscriptions.ts'
import { createTaker, type Taker } from './take.ts'

export interface NatsWireOptions {
  /** `nats://…` or `tls://…`; several with commas between. */
  readonly url: string
  /** What it is called in the store and in logs. */
  readonly name?: string
  /** A message as it is carried. */
  readonly format: (message: Message) => string
  readonly random?: Random
  /** After so long without an acknowledgement the stream is looked for. */
  readonly silenceMs?: number
  /** Told when the connection is lost and when it is back, and what could not be done. */
  readonly note?: Note
}

/** How long to wait for the first connection. Afterwards listening goes on without it, and rings once it is there. */
const PATIENCE_MS = 5_000
const ANSWER_MS = 2_000
/** What the headers of a copy need at most. */
const HEADER_BYTES = 1_024

/**
 * Rings and carries through NATS. The connection is opened with the first use and opened anew whenever it breaks. It
 * keeps a process alive only while somebody listens or takes, or something is on its way.
 */
export function createNatsWire(options: NatsWireOptions): EngineWire {
  return new NatsWire(options)
}

class NatsWire implements EngineWire {
  readonly name: string
  readonly #options: NatsWireOptions
  readonly #note: Note
  readonly #random: Random
  readonly #shown: string
  readonly #link
  readonly #subscriptions = createNatsSubscriptions()
  readonly #takers = new Set<Taker>()
  readonly #onWiped = new Set<() => void>()
  #session: Session | undefined
  #seen: StreamSeen | undefined
  #streamFailure: unknown
  #isWipeUntold = false
  #atWork = 0
  #lastCarry: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(options: NatsWireOptions) {
    const { url, name = 'nats', random = Math.random, note = () => {} } = options
    this.name = name
    this.#options = options
    this.#note = note
    this.#random = random
    this.#shown = parseNatsUrl(url).shown
    this.#link = createLink({
      url,
      random,
      note,
      onOpened: (connection) => this.#opened(connection),
      onReady: () => this.#ready(),
      onLost: () => this.#subscriptions.detach(),
    })
  }

  ring(names: readonly string[]): Promise<void> {
    const subjects = names.map((name) => ringSubject(parseRingName(name)))
    return this.#during(async () => {
      const { connection } = await this.#connected()
      for (const subject of subjects) connection.publish(subject)
      await flush(connection, ANSWER_MS)
    })
  }

  async listen(names: readonly string[], onRing: Waiter['onRing']): Promise<Listener> {
    const waiter: Waiter = { names: names.map(parseRingName), onRing, isListening: false }
    this.#refuseClosed()
    this.#subscriptions.add(waiter)
    this.#hold()
    const connection = await this.#link.ready(PATIENCE_MS)
    // Only when the server has answered does it know what was subscribed to.
    if (connection) await flush(connection, PATIENCE_MS).catch(() => {})
    waiter.isListening = true
    return {
      close: () => {
        this.#subscriptions.remove(waiter)
        this.#hold()
      },
    }
  }

  lastRungAt(): undefined {
    return undefined
  }

  carry(copies: readonly Copy[]): Promise<void> {
    // One after the other: what was handed over first is carried first.
    const carried = this.#lastCarry.catch(() => {}).then(() => this.#during(() => this.#carry(copies)))
    this.#lastCarry = carried
    return carried
  }

  async take(agent: string, onCopy: (line: string) => Promise<void>): Promise<Listener> {
    this.#refuseClosed()
    const taker = createTaker({
      agent,
      onCopy,
      random: this.#random,
      note: this.#note,
      onRemade: () => this.#subscriptions.ringEverybody(),
    })
    this.#takers.add(taker)
    this.#hold()
    if ((await this.#link.ready(PATIENCE_MS)) && this.#session) await taker.attach(this.#session)
    return {
      close: async () => {
        if (!this.#takers.delete(taker)) return
        await taker.close()
        this.#hold()
      },
    }
  }

  /** Whoever wants to know needs the connection for it, so it is opened. */
  onWiped(call: () => void): void {
    this.#onWiped.add(call)
    this.#link.open()
  }

  async health(): Promise<WireHealth> {
    const where = `NATS at ${this.#shown}`
    if (this.#isClosed) return { isUp: false, detail: `${where} is closed` }
    const connection = await this.#link.tried()
    if (!connection) return { isUp: false, detail: `${where} cannot be reached: ${whyDown(this.#link.failure())}` }
    try {
      await flush(connection, ANSWER_MS)
    } catch (error) {
      return { isUp: false, detail: `${where} does not answer: ${reasonOf(error)}` }
    }
    if (this.#streamFailure !== undefined) await this.#lookForStream()
    if (this.#streamFailure !== undefined)
      return { isUp: false, detail: `${where} rings but carries nothing: ${reasonOf(this.#streamFailure)}` }
    return { isUp: true, detail: `${where}, version ${connection.info?.version ?? 'unknown'}` }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#subscriptions.clear()
    const takers = [...this.#takers]
    this.#takers.clear()
    this.#link.keepAlive(true)
    await Promise.all(takers.map((taker) => taker.close()))
    await this.#lastCarry.catch(() => {})
    await this.#link.close()
  }

  async #opened(connection: Session['connection']): Promise<void> {
    const session = await openSession(connection, {
      note: this.#note,
      silenceMs: this.#options.silenceMs,
      onSeen: (stream) => this.#sawStream(stream),
    })
    this.#session = session
    this.#subscriptions.attach(connection)
    await this.#lookForStream()
    if (this.#streamFailure !== undefined)
      this.#note('wire.stream-failed', { wire: this.name, error: String(this.#streamFailure) })
    await Promise.all([...this.#takers].map((taker) => taker.attach(session)))
    await flush(connection, PATIENCE_MS)
  }

  /** Rings need no stream, so it may come later: a cluster has no leader at first, or somebody has to make room for it. */
  async #lookForStream(): Promise<void> {
    try {
      await this.#session?.ensureStream()
    } catch (error) {
      this.#streamFailure = error
    }
  }

  #sawStream(stream: StreamSeen): void {
    const before = this.#seen
    this.#seen = stream
    this.#streamFailure = undefined
    const isOther = before && (before.madeAt !== stream.madeAt || before.lastSequence > stream.lastSequence)
    if (!stream.isNew && !isOther) return
    this.#note(before ? 'wire.wiped' : 'wire.stream-made', { wire: this.name, stream: stream.name })
    this.#isWipeUntold = true
    // Whoever is told carries everything again at once, so it must be possible to.
    if (this.#link.current()) this.#tellWiped()
  }

  #ready(): void {
    this.#tellWiped()
    this.#subscriptions.ringEverybody()
  }

  #tellWiped(): void {
    if (!this.#isWipeUntold) return
    this.#isWipeUntold = false
    for (const call of [...this.#onWiped]) call()
  }

  async #carry(copies: readonly Copy[]): Promise<void> {
    const session = await this.#connected()
    const { connection, publisher } = session
    if (this.#streamFailure !== undefined) await session.ensureStream()
    const before = this.#seen?.lastSequence ?? 0
    const kept = await carryCopies(copies, {
      publisher,
      format: this.#options.format,
      maxBytes: (connection.info?.max_payload ?? 0) - HEADER_BYTES,
      ring: (name) => connection.publish(ringSubject(name)),
      // Until the stream was seen again, the wire is not up, and the next copies look for it first.
      onUnanswered: (failure) => {
        this.#streamFailure = failure
      },
      restoreStream: () => this.#restoreStream(session),
      note: this.#note,
    })
    // Those who follow everything are rung once for all of them, without having to hear what each says.
    connection.publish(ringSubject(RING_EVENTS))
    // A stream never counts backwards. Somebody has made another meanwhile, and what the old one had is gone.
    if (kept.first <= before) await session.ensureStream()
    const seen = this.#seen
    if (seen && kept.last > seen.lastSequence) this.#seen = { ...seen, lastSequence: kept.last, isNew: false }
  }

  /** Where somebody carries again all that is gone, these copies come after it. */
  async #restoreStream(session: Session): Promise<void> {
    const { isNew } = await session.ensureStream()
    if (isNew && this.#onWiped.size > 0) throw new Error('the stream was gone, and has been made again')
  }

  /** The session, at once or with the first connection. Whoever rings is not kept waiting for one that fails. */
  async #connected(): Promise<Session> {
    this.#refuseClosed()
    if ((await this.#link.tried()) && this.#session) return this.#session
    throw new Error(`NATS at ${this.#shown} cannot be reached: ${whyDown(this.#link.failure())}`)
  }

  async #during<T>(task: () => Promise<T>): Promise<T> {
    this.#atWork++
    this.#hold()
    try {
      return await task()
    } finally {
      this.#atWork--
      this.#hold()
    }
  }

  #hold(): void {
    if (!this.#isClosed) this.#link.keepAlive(this.#subscriptions.size > 0 || this.#takers.size > 0 || this.#atWork > 0)
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new Error('the wire is closed')
  }
}

function whyDown(failure: unknown): string {
  return failure === undefined ? 'no connection so far' : reasonOf(failure)
}
