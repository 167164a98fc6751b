import { connect, type NatsConnection } from '@nats-io/transport-node'
import { sleep } from '../../kit/clock/sleep.ts'
import { within } from '../../kit/clock/within.ts'
import { type Backoff, createBackoff, type Random } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { parseNatsUrl } from './address.ts'
import { flush } from './flush.ts'

export type Note = (event: string, fields: Readonly<Record<string, unknown>>) => void

export interface LinkOptions {
  readonly url: string
  readonly random: Random
  readonly note: Note
  /** Makes a connection that was just opened fit for use. Where it rejects, the connection is given up. */
  readonly onOpened: (connection: NatsConnection) => Promise<void>
  /** Called once it is. */
  readonly onReady: () => void
  readonly onLost: () => void
}

/**
 * A connection that is opened anew for ever. Driven by hand rather than by the driver's own reconnecting, which keeps
 * what is published meanwhile and sends it late: a ring has to fail where it cannot ring.
 *
 *   idle ─open→ connecting ─made fit→ ready ─lost→ waiting ─back-off→ connecting
 */
export interface Link {
  /** Begins to connect, unless it has. */
  open(): void
  /** The connection, while it is ready. */
  current(): NatsConnection | undefined
  /** Resolves with the connection, or after a while without; it goes on trying either way. */
  ready(patienceMs: number): Promise<NatsConnection | undefined>
  /** Resolves once it is ready or one try has failed: for those who do not wait for better times. */
  tried(): Promise<NatsConnection | undefined>
  /** Where the last try has failed, why; nothing while there was none yet, or while it is ready. */
  failure(): unknown
  /** Whether the process has to stay alive for it. */
  keepAlive(isNeeded: boolean): void
  close(): Promise<void>
}

const RETRY = { minMs: 100, maxMs: 5_000 }
const CONNECT_MS = 5_000
/** A connection may be dead without anybody saying so: it is asked all the time and must answer. */
const PING_EVERY_MS = 5_000
const ANSWER_MS = 10_000
/** The driver's own pings would keep the process alive, so they never come. */
const NEVER_MS = 2 ** 31 - 1

export function createLink(options: LinkOptions): Link {
  return new ReconnectingLink(options)
}

class ReconnectingLink implements Link {
  readonly #options: LinkOptions
  readonly #backoff: Backoff
  readonly #waiting = new Set<() => void>()
  readonly #tried = Promise.withResolvers<void>()
  #connection: NatsConnection | undefined
  #isReady = false
  #isOpen = false
  #isClosed = false
  #isNeeded = false
  #failure: unknown
  #timer: NodeJS.Timeout | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    this.#backoff = createBackoff({ ...RETRY, random: options.random })
  }

  open(): void {
    if (this.#isOpen || this.#isClosed) return
    this.#isOpen = true
    this.#connect()
  }

  current(): NatsConnection | undefined {
    return this.#isReady ? this.#connection : undefined
  }

  failure(): unknown {
    return this.#failure
  }

  async ready(patienceMs: number): Promise<NatsConnection | undefined> {
    this.open()
    if (!this.#isReady && !this.#isClosed) {
      await sleep(patienceMs, {
        subscribe: (wake) => {
          this.#waiting.add(wake)
          return () => this.#waiting.delete(wake)
        },
      })
    }
    return this.current()
  }

  async tried(): Promise<NatsConnection | undefined> {
    this.open()
    await this.#tried.promise
    return this.current()
  }

  keepAlive(isNeeded: boolean): void {
    this.#isNeeded = isNeeded
    if (isNeeded) this.#timer?.ref()
    else this.#timer?.unref()
    if (this.#connection) holdSocket(this.#connection, isNeeded)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const connection = this.#connection
    this.#connection = undefined
    this.#isReady = false
    this.#settle()
    if (connection) await endQuietly(connection)
  }

  async #connect(): Promise<void> {
    const { url, onOpened, onReady, note } = this.#options
    let connection: NatsConnection | undefined
    try {
      const { shown: _, ...address } = parseNatsUrl(url)
      connection = await connect({
        ...address,
        name: 'postern',
        reconnect: false,
        timeout: CONNECT_MS,
        pingInterval: NEVER_MS,
      })
      if (this.#isClosed) return void endQuietly(connection)
      this.#connection = connection
      holdSocket(connection, this.#isNeeded)
      this.#watch(connection)
      await onOpened(connection)
    } catch (error) {
      return this.#lost(connection, error)
    }
    if (connection !== this.#connection) return
    this.#isReady = true
    this.#failure = undefined
    this.#backoff.reset()
    note('wire.connected', { wire: 'nats' })
    this.#ping(connection)
    onReady()
    this.#settle()
  }

  #settle(): void {
    this.#tried.resolve()
    for (const settle of [...this.#waiting]) settle()
  }

  #watch(connection: NatsConnection): void {
    connection.closed().then((error) => this.#lost(connection, error ?? new Error('the connection was closed')))
  }

  #ping(connection: NatsConnection): void {
    this.#schedule(PING_EVERY_MS, () => {
      flush(connection, ANSWER_MS)
        .then(() => {
          if (connection === this.#connection) this.#ping(connection)
        })
        .catch((error: unknown) => this.#lost(connection, error))
    })
  }

  /** Whatever happened, this connection is done with; the next one comes after a while. */
  #lost(connection: NatsConnection | undefined, error: unknown): void {
    if (connection !== this.#connection || this.#isClosed) return
    this.#connection = undefined
    this.#isReady = false
    // While it is away for the same reason all the time, that is said once.
    const isNews = reasonOf(error) !== reasonOf(this.#failure)
    this.#failure = error
    this.#tried.resolve()
    if (connection) void endQuietly(connection)
    this.#options.onLost()
    if (isNews) this.#options.note('wire.lost', { wire: 'nats', error: reasonOf(error) })
    this.#schedule(this.#backoff.next(), () => this.#connect())
  }

  #schedule(ms: number, call: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(call, ms)
    if (!this.#isNeeded) this.#timer.unref()
  }
}

interface Referable {
  ref(): void
  unref(): void
}

/** The driver's types leave out what holds a process; a driver without it only ends later. */
interface Insides {
  readonly protocol?: {
    readonly transport?: { readonly socket?: Referable }
    readonly heartbeats?: { readonly timer?: Referable }
  }
}

function holdSocket(connection: NatsConnection, isNeeded: boolean): void {
  const { protocol } = connection as Insides
  protocol?.heartbeats?.timer?.unref()
  if (isNeeded) protocol?.transport?.socket?.ref()
  else protocol?.transport?.socket?.unref()
}

async function endQuietly(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return
  await within(
    CONNECT_MS,
    connection.close().catch(() => {}),
    undefined,
  )
}
