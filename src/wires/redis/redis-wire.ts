import type { Random } from '../../kit/pure/backoff.ts'
import { hidePassword } from '../../kit/pure/passwords.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { RING_ALL } from '../../model/ring.ts'
import { type EngineWire, parseRingName, type WireHealth } from '../wire.ts'
import { createConnection, type Note, type RedisClient } from './connection.ts'
import { CHANNEL, createRedisSubscriptions } from './subscriptions.ts'

export interface RedisOptions {
  readonly url: string
  /** Told when the connection is lost and when it is back. */
  readonly note?: Note
  readonly random?: Random
  /** How often a connection is asked whether it lives, and how long it has to answer. */
  readonly pulseMs?: number
  /** For how long a channel stays subscribed that nobody listens to. */
  readonly lingerMs?: number
}

/** A wire through a Redis server, which also has seed 001's lists. */
export interface RedisWire extends EngineWire {
  /** Runs commands on the server. Rejects at once while it is away. */
  use<T>(act: (client: RedisClient) => Promise<T>): Promise<T>
  /**
   * Throws WIRE_MAY_EVICT where the server says that it may. That a server cannot be reached now is nothing to refuse: it
   * is asked again whenever a connection is made.
   */
  check(): Promise<void>
}

const PATIENCE_MS = 5_000
const PULSE_MS = 5_000

/**
 * Rings through Redis. One connection publishes, another listens; each is made when first needed and made anew whenever
 * it breaks.
 */
export function createRedisWire(options: RedisOptions): RedisWire {
  const { url, note = () => {}, random = Math.random, pulseMs = PULSE_MS, lingerMs } = options
  const commands = createConnection({ url, note, random, pulseMs, name: 'postern-commands' })
  const subscriptions = createRedisSubscriptions({
    url,
    note,
    random,
    pulseMs,
    ...(lingerMs !== undefined && { lingerMs }),
  })

  async function ringAll(names: Iterable<string>): Promise<void> {
    await commands.use((client) => Promise.all([...names].map((name) => client.publish(CHANNEL + name, ''))))
  }

  return {
    name: 'redis',
    ring: (names) => ringAll(new Set(names.map(parseRingName))),
    listen: async (names, onRing) => subscriptions.listen(names.map(parseRingName), onRing),
    carry: (copies) => ringAll(new Set(copies.map(({ agent }) => agent ?? RING_ALL))),
    lastRungAt: () => undefined,

    async health(): Promise<WireHealth> {
      const shown = hidePassword(url)
      try {
        await commands.use((client) => client.ping())
        return { isUp: true, detail: `Redis at ${shown}` }
      } catch (error) {
        return { isUp: false, detail: `Redis at ${shown}: ${reasonOf(error)}` }
      }
    },

    use: (act) => commands.use(act),

    async check() {
      await commands.connected(PATIENCE_MS)
      const fault = commands.fault()
      if (fault instanceof PosternError) throw fault
    },

    async close() {
      await Promise.all([subscriptions.close(), commands.close()])
    },
  }
}
