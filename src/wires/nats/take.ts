import { AckPolicy, type ConsumerMessages, DeliverPolicy, type JetStreamManager, type JsMsg } from '@nats-io/jetstream'
import { sleep } from '../../kit/clock/sleep.ts'
import { createBackoff, type Random } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { OnCopy } from '../wire.ts'
import { createInFlightCopies, type InFlightCopies } from './in-flight.ts'
import type { Note } from './link.ts'
import type { Session } from './session.ts'
import { type Durable, durablesOf } from './subjects.ts'

export interface TakeOptions {
  readonly agent: string
  readonly onCopy: OnCopy
  readonly random: Random
  readonly note: Note
  /** Called where a consumer had to be made again: what it had missed nobody knows. */
  readonly onRemade: () => void
}

/** What hands over an agent's copies, over one connection after the other. */
export interface Taker {
  /** Takes over this connection from now on. Resolves once copies would come, or could not so far. Safe to call twice. */
  attach(session: Session): Promise<void>
  /** Waits for the copy that is being handed over; gives the others back. */
  close(): Promise<void>
}

const ACK_WAIT_MS = 30_000
const NS_PER_MS = 1_000_000
/** How many copies a taker has in hand at most. What one had that died comes again later than what follows. */
const MAX_IN_HAND = 100
/** How long the server keeps a request for more. A consumer that is gone is missed within this time. */
const PULL_MS = 10_000
const RETRY = { minMs: 100, maxMs: 5_000 }

export function createTaker(options: TakeOptions): Taker {
  return new DurableTaker(options)
}

class DurableTaker implements Taker {
  readonly #options: TakeOptions
  readonly #durables: readonly Durable[]
  readonly #inFlight: InFlightCopies
  readonly #known = new Set<string>()
  readonly #open = new Set<ConsumerMessages>()
  readonly #closed = new AbortController()
  #session: Session | undefined
  #begun: Promise<void> | undefined

  constructor(options: TakeOptions) {
    this.#options = options
    this.#durables = durablesOf(options.agent)
    this.#inFlight = createInFlightCopies(options)
  }

  attach(session: Session): Promise<void> {
    if (session === this.#session && this.#begun) return this.#begun
    this.#session = session
    this.#inFlight.attach(session)
    const begun = Promise.all(this.#durables.map((durable) => this.#begin(session, durable))).then(() => {})
    this.#begun = begun
    return begun
  }

  async close(): Promise<void> {
    this.#closed.abort()
    for (const messages of this.#open) messages.close()
    await this.#inFlight.close(() => this.#withdrawRequests())
  }

  /**
   * Asking about a consumer makes the server strike requests that nobody waits for any more. As long as one of them is in
   * its list, nats-server 2.9 mislays what is given back until the time for acknowledging is over.
   */
  async #withdrawRequests(): Promise<void> {
    const session = this.#session
    const stream = session?.stream()
    if (!session?.isLive() || !stream) return
    const asked = this.#durables.map(({ name }) => session.manager.consumers.info(stream.name, name))
    await Promise.allSettled(asked)
  }

  /** Resolves after the first try, whatever came of it. */
  #begin(session: Session, durable: Durable): Promise<void> {
    return new Promise((resolve) => void this.#consumeForEver(session, durable, resolve))
  }

  async #consumeForEver(session: Session, durable: Durable, onTried: () => void): Promise<void> {
    const backoff = createBackoff({ ...RETRY, random: this.#options.random })
    let isFailing = false
    while (session.isLive() && !this.#closed.signal.aborted) {
      try {
        const messages = await this.#consume(session, durable)
        const begunAtMs = performance.now()
        onTried()
        this.#open.add(messages)
        if (this.#closed.signal.aborted) messages.close()
        const error = await messages.closed()
        this.#open.delete(messages)
        if (performance.now() - begunAtMs > PULL_MS) {
          backoff.reset()
          isFailing = false
        }
        if (error) throw error
      } catch (error) {
        // What goes wrong again and again is said once.
        if (session.isLive() && !isFailing)
          this.#options.note('wire.take-failed', { consumer: durable.name, error: reasonOf(error) })
        isFailing = true
        onTried()
      }
      if (!session.isLive()) break
      await sleep(backoff.next(), { signal: this.#closed.signal })
    }
    onTried()
  }

  async #consume(session: Session, durable: Durable): Promise<ConsumerMessages> {
    const { manager } = session
    const stream = await session.ensureStream()
    const isMade = await ensureConsumer(manager, stream.name, durable)
    if (isMade && this.#known.has(durable.name)) this.#options.onRemade()
    this.#known.add(durable.name)
    const consumer = await manager.jetstream().consumers.get(stream.name, durable.name)
    return consumer.consume({
      max_messages: MAX_IN_HAND,
      expires: PULL_MS,
      abort_on_missing_resource: true,
      callback: (message) => this.#inFlight.take(message as Replied, stream),
    })
  }
}

/** The driver's type leaves out where a message is acknowledged. */
export type Replied = JsMsg & { readonly reply: string }

/** True where there was none. One that somebody else has made is used as it is. */
async function ensureConsumer(manager: JetStreamManager, stream: string, durable: Durable): Promise<boolean> {
  try {
    await manager.consumers.info(stream, durable.name)
    return false
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await manager.consumers.add(stream, {
    durable_name: durable.name,
    filter_subject: durable.subject,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_MS * NS_PER_MS,
    max_ack_pending: MAX_IN_HAND,
  })
  return true
}

function isMissing(error: unknown): boolean {
  return (error as { readonly status?: number }).status === 404
}
