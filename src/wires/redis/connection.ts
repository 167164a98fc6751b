import { createClient, type RedisClientType } from '@redis/client'
import { createBackoff, type Random } from '../../kit/pure/backoff.ts'
import { hidePassword } from '../../kit/pure/passwords.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'

export type RedisClient = RedisClientType

export type Note = (event: string, fields: Readonly<Record<string, unknown>>) => void

export interface ConnectionOptions {
  readonly url: string
  /** What it is for; the server's list of clients shows it. */
  readonly name: string
  readonly note: Note
  readonly random: Random
  /** How often it is asked whether it lives, and how long it has to answer. */
  readonly pulseMs: number
  /** Called on every new connection before anybody else may use it. */
  readonly prepare?: (client: RedisClient) => Promise<void>
  /** Called after every connection that was made: something may have been missed before it. */
  readonly onConnected?: () => void
}

/**
 * A connection that is made anew whenever it breaks.
 *
 *   resting ─first use→ connecting ─ready→ connected ─lost→ waiting ─back-off→ connecting
 *
 * It never gives up: an engine that is away for a day is used again within seconds once it is back.
 */
export interface Connection {
  /** Begins to connect. Resolves once it is connected, or a try has failed or lasts too long; it goes on trying. */
  connected(patienceMs: number): Promise<void>
  /** Uses the connection. Rejects at once where there is none and the last try has failed. */
  use<T>(act: (client: RedisClient) => Promise<T>): Promise<T>
  /** The connection as it is, where there is one. */
  current(): RedisClient | undefined
  /** Why there is no connection, where it was tried. */
  fault(): unknown
  /** Whether it keeps the process alive when nobody uses it. */
  hold(isHeld: boolean): void
  close(): Promise<void>
}

const RETRY = { minMs: 100, maxMs: 5_000 }
const ANSWER_MS = 5_000

/** Throws WIRE_URL_INVALID where the driver cannot make anything of a URL. Nothing is connected. */
export function createConnection(options: ConnectionOptions): Connection {
  try {
    createClient({ url: options.url }).destroy()
  } catch (error) {
    throw new PosternError('WIRE_URL_INVALID', { url: hidePassword(options.url) }, { cause: error })
  }
  return new LastingConnection(options)
}

class LastingConnection implements Connection {
  readonly #options: ConnectionOptions
  readonly #backoff
  #client: RedisClient | undefined
  #connecting: Promise<void> | undefined
  #isReady = false
  #isClosed = false
  #isHeld = false
  #users = 0
  #fault: unknown
  #timer: NodeJS.Timeout | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#backoff = createBackoff({ ...RETRY, random: options.random })
  }

  async connected(patienceMs: number): Promise<void> {
    const connecting = this.#begin()
    if (connecting) await answered(connecting, patienceMs).catch(() => {})
  }

  async use<T>(act: (client: RedisClient) => Promise<T>): Promise<T> {
    this.#users += 1
    this.#referTo()
    try {
      await this.#begin()
      const client = this.current()
      if (!client) throw this.#fault ?? closedError()
      return await act(client).catch((error: unknown) => {
        // What was the primary is one no more; behind the same address there may be another.
        if (reasonOf(error).includes('READONLY')) this.#lost(client, error)
        throw error
      })
    } finally {
      this.#users -= 1
      this.#referTo()
    }
  }

  current(): RedisClient | undefined {
    return this.#isReady ? this.#client : undefined
  }

  fault(): unknown {
    return this.#fault
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#referTo()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#fault = closedError()
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    this.#isReady = false
    client?.destroy()
    await this.#connecting
  }

  /** Tries to connect where nobody does or is about to. */
  #begin(): Promise<void> | undefined {
    if (this.#isReady || this.#isClosed || this.#timer) return undefined
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #connect(): Promise<void> {
    const { url, name, prepare, onConnected, note } = this.#options
    const client = createClient({
      url,
      name,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      // It is this class that tries again: with every new connection the server is looked at anew.
      socket: { reconnectStrategy: false, connectTimeout: ANSWER_MS },
    })
    this.#client = client
    this.#referTo()
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, new Error('the connection was closed')))
    try {
      await answered(client.connect(), ANSWER_MS)
      await answered(requireFit(client, url, note), ANSWER_MS)
      await answered(prepare?.(client) ?? Promise.resolve(), ANSWER_MS)
    } catch (error) {
      return this.#lost(client, error)
    }
    if (client !== this.#client) return
    this.#isReady = true
    this.#fault = undefined
    this.#backoff.reset()
    this.#referTo()
    note('wire.connected', { wire: 'redis', connection: name })
    this.#ping(client)
    onConnected?.()
  }

  /**
   * A connection may be dead without anybody saying so: it is asked from time to time and must answer. The driver's own
   * pings cannot tell, for its time limit counts what is sent as a sign of life.
   */
  #ping(client: RedisClient): void {
    const { pulseMs } = this.#options
    this.#schedule(pulseMs, () => {
      answered(client.ping(), pulseMs)
        .then(() => {
          if (client === this.#client) this.#ping(client)
        })
        .catch((error: unknown) => this.#lost(client, error))
    })
  }

  /** Whatever happened, this connection is done with; the next one comes after a while. */
  #lost(client: RedisClient, error: unknown): void {
    if (client !== this.#client) return
    const { note, name } = this.#options
    // Said once, however often it is tried again.
    if (reasonOf(error) !== reasonOf(this.#fault))
      note('wire.lost', { wire: 'redis', connection: name, error: reasonOf(error) })
    this.#client = undefined
    this.#isReady = false
    this.#fault = error
    client.destroy()
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#isClosed) this.#schedule(this.#backoff.next(), () => void this.#begin())
  }

  #schedule(ms: number, call: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      call()
    }, ms)
    this.#referTo()
  }

  /** What nobody holds or uses lets the process end. */
  #referTo(): void {
    const how = this.#isHeld || this.#users > 0 ? 'ref' : 'unref'
    this.#timer?.[how]()
    this.#client?.[how]()
  }
}

function closedError(): Error {
  return new Error('the wire is closed')
}

async function answered<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${ms} ms`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/**
 * A server that may evict loses lists that nobody has taken yet, without a word; a replica takes nothing, and what is
 * published on it reaches nobody who listens to its primary.
 */
async function requireFit(client: RedisClient, url: string, note: Note): Promise<void> {
  const info = await readInfo(client, note)
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction'
  if (policy !== 'noeviction') throw new PosternError('WIRE_MAY_EVICT', { url: hidePassword(url), policy })
  if (/^role:slave/m.test(info)) throw new Error('it is a replica, not the primary')
}

async function readInfo(client: RedisClient, note: Note): Promise<string> {
  try {
    return (await Promise.all([client.info('memory'), client.info('replication')])).join('\n')
  } catch (error) {
    if (!/NOPERM|unknown command/.test(reasonOf(error))) throw error
    // Somebody who may not ask is told so, and trusted.
    note('wire.policyUnknown', { wire: 'redis', error: reasonOf(error) })
    return ''
  }
}
