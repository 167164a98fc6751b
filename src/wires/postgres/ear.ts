import { Client } from 'pg'
import { sleep } from '../../kit/clock/sleep.ts'
import { createBackoff } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { LINGER_MS } from '../wire.ts'
import { CHANNEL } from './ringer.ts'

export interface EarOptions {
  readonly url: string
  readonly random: () => number
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
  readonly onName: (name: string) => void
  /** Called after every connection that was made: rings may have been missed before it. */
  readonly onConnected: () => void
}

/**
 * The connection that listens.
 *
 *   resting ─connected→ connecting ─LISTEN→ listening ─lost→ waiting ─back-off→ connecting
 *      ↑ ─────────────── nobody listens for a while ───────────────────────────────┘
 */
export interface Ear {
  /** Begins to listen. Resolves once it does, or after a while without; it goes on trying either way. */
  connected(patienceMs: number): Promise<void>
  /** Nobody listens any more. The connection stays for a moment, in case somebody does again. */
  rest(): void
  /** Somebody would hear rings, but they do not come. */
  isDeaf(): boolean
  close(): Promise<void>
}

const RETRY = { minMs: 100, maxMs: 5_000 }
/** A connection may be dead without anybody saying so: it is asked from time to time and must answer. */
const PING_EVERY_MS = 20_000
const ANSWER_MS = 10_000

export function createEar(options: EarOptions): Ear {
  return new ReconnectingEar(options)
}

/** The driver's types leave out that a connection may be told not to keep the process alive. */
type Referable = Client & { ref(): void; unref(): void }

class ReconnectingEar implements Ear {
  readonly #options: EarOptions
  readonly #backoff
  #client: Referable | undefined
  #isListening = false
  #isClosed = false
  #isWanted = false
  #timer: NodeJS.Timeout | undefined
  #linger: NodeJS.Timeout | undefined
  #waiting = new Set<() => void>()

  constructor(options: EarOptions) {
    this.#options = options
    this.#backoff = createBackoff({ ...RETRY, random: options.random })
  }

  connected(patienceMs: number): Promise<void> {
    this.#isWanted = true
    clearTimeout(this.#linger)
    if (this.#client) {
      this.#client.ref()
      this.#timer?.ref()
    } else if (!this.#timer) this.#connect()
    if (this.#isListening || this.#isClosed) return Promise.resolve()
    return sleep(patienceMs, {
      subscribe: (wake) => {
        this.#waiting.add(wake)
        return () => this.#waiting.delete(wake)
      },
    })
  }

  rest(): void {
    this.#isWanted = false
    this.#client?.unref()
    this.#timer?.unref()
    clearTimeout(this.#linger)
    this.#linger = setTimeout(() => this.#disconnect(), LINGER_MS)
    this.#linger.unref()
  }

  isDeaf(): boolean {
    return this.#isWanted && !this.#isListening
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const settle of [...this.#waiting]) settle()
    clearTimeout(this.#linger)
    await this.#disconnect()
  }

  #connect(): void {
    if (this.#isClosed) return
    const client = new Client({
      connectionString: this.#options.url,
      keepAlive: true,
      keepAliveInitialDelayMillis: PING_EVERY_MS,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      fallback_application_name: 'postern listen',
    }) as Referable
    this.#client = client
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, new Error('the connection was closed')))
    client.on('notification', ({ payload }) => {
      if (client === this.#client && payload) this.#options.onName(payload)
    })
    this.#listen(client).catch((error: unknown) => this.#lost(client, error))
  }

  async #listen(client: Client): Promise<void> {
    await client.connect()
    await client.query(`LISTEN ${CHANNEL}`)
    if (client !== this.#client) return
    this.#isListening = true
    this.#backoff.reset()
    this.#options.note('wire.connected', {})
    this.#ping(client)
    this.#options.onConnected()
    for (const settle of [...this.#waiting]) settle()
  }

  #ping(client: Client): void {
    this.#schedule(PING_EVERY_MS, () => {
      client
        .query('')
        .then(() => {
          if (client === this.#client) this.#ping(client)
        })
        .catch((error: unknown) => this.#lost(client, error))
    })
  }

  /** Whatever happened, this connection is done with; the next one comes after a while, if it is still wanted. */
  #lost(client: Client, error: unknown): void {
    if (client !== this.#client) return
    this.#client = undefined
    this.#isListening = false
    endQuietly(client)
    this.#options.note('wire.lost', { error: reasonOf(error) })
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isWanted && !this.#isClosed) this.#schedule(this.#backoff.next(), () => this.#connect())
  }

  #schedule(ms: number, call: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      call()
    }, ms)
    if (!this.#isWanted) this.#timer.unref()
  }

  async #disconnect(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#isListening = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (client) await endQuietly(client)
  }
}

async function endQuietly(client: Client): Promise<void> {
  client.on('error', () => {})
  await client.end().catch(() => {})
}
