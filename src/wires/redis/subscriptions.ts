import { LINGER_MS, type Listener, type OnRing } from '../wire.ts'
import { type ConnectionOptions, createConnection, type RedisClient } from './connection.ts'

/** The connection that listens, for all who do. */
export interface RedisSubscriptions {
  listen(names: readonly string[], onRing: OnRing): Promise<Listener>
  close(): Promise<void>
}

interface Waiter {
  readonly names: readonly string[]
  readonly onRing: OnRing
  /** Has been told that it would hear a ring: from then on it must be rung whenever some may have been missed. */
  isListening: boolean
}

/** How long to wait for the first connection. Afterwards listening goes on without it, and rings once it is there. */
const PATIENCE_MS = 5_000

/** Seed 001's channels: whatever is published to `wakeup:<name>`, by whomever, rings that name. */
export const CHANNEL = 'wakeup:'

export interface SubscriptionOptions extends Omit<ConnectionOptions, 'name' | 'prepare' | 'onConnected'> {
  readonly lingerMs?: number
}

export function createRedisSubscriptions({
  lingerMs = LINGER_MS,
  ...options
}: SubscriptionOptions): RedisSubscriptions {
  const waiters = new Set<Waiter>()
  let subscribed = new Set<string>()
  let settling: Promise<void> = Promise.resolve()
  let tidying: NodeJS.Timeout | undefined
  const connection = createConnection({
    ...options,
    name: 'postern-subscriptions',
    async prepare(client) {
      subscribed = wanted()
      await subscribe(client, subscribed)
    },
    onConnected: ringEverybody,
  })

  function wanted(): Set<string> {
    return new Set([...waiters].flatMap(({ names }) => names.map((name) => CHANNEL + name)))
  }

  function heard(_: string, channel: string): void {
    const name = channel.slice(CHANNEL.length)
    for (const waiter of [...waiters]) {
      if (waiters.has(waiter) && waiter.names.includes(name)) waiter.onRing([name])
    }
  }

  function ringEverybody(): void {
    for (const waiter of [...waiters]) {
      if (waiter.isListening && waiters.has(waiter)) waiter.onRing(waiter.names)
    }
  }

  async function subscribe(client: RedisClient, channels: ReadonlySet<string>): Promise<void> {
    if (channels.size > 0) await client.subscribe([...channels], heard)
  }

  /**
   * One change at a time: the driver loses a channel that is left and wanted again before the server has answered. Where
   * the connection breaks, the next one begins with what is wanted.
   */
  function change(act: (client: RedisClient) => Promise<void>): Promise<void> {
    settling = settling
      .then(async () => {
        const client = connection.current()
        if (client) await act(client)
      })
      .catch(() => {})
    return settling
  }

  /** Subscribes to what is wanted. */
  function settle(): Promise<void> {
    return change(async (client) => {
      const known = subscribed
      const missing = new Set([...wanted()].filter((channel) => !known.has(channel)))
      await subscribe(client, missing)
      for (const channel of missing) known.add(channel)
    })
  }

  /** Subscribes to nothing else any more. */
  function tidy(): void {
    tidying = undefined
    void change(async (client) => {
      const channels = wanted()
      const spare = [...subscribed].filter((channel) => !channels.has(channel))
      for (const channel of spare) subscribed.delete(channel)
      if (spare.length > 0) await client.unsubscribe(spare)
    })
  }

  function leave(waiter: Waiter): void {
    if (!waiters.delete(waiter)) return
    if (waiters.size === 0) connection.hold(false)
    tidying ??= setTimeout(tidy, lingerMs).unref()
  }

  return {
    async listen(names, onRing) {
      const waiter: Waiter = { names, onRing, isListening: false }
      waiters.add(waiter)
      connection.hold(true)
      await connection.connected(PATIENCE_MS)
      await settle()
      waiter.isListening = true
      return { close: () => leave(waiter) }
    },
    async close() {
      waiters.clear()
      clearTimeout(tidying)
      await connection.close()
    },
  }
}
