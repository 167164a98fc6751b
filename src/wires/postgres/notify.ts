import { reasonOf } from '../../kit/pure/reason-of.ts'
import { RING_ALL, RING_EVENTS } from '../../model/ring.ts'
import { type Listener, type OnRing, parseRingName, type Wire } from '../wire.ts'
import { createEar } from './ear.ts'
import { createRinger } from './ringer.ts'

export interface NotifyOptions {
  readonly url: string
  /**
   * The store's own transactions ring every inbox in which something becomes pending, and every broadcast. Then those
   * names need not be rung again after the commit, which saves a round trip with every push.
   */
  readonly storeRings?: boolean
  readonly random?: () => number
  /** Told when the connection is lost and when it is back. */
  readonly note?: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

interface Waiter {
  readonly names: readonly string[]
  readonly onRing: OnRing
  /** Has been told that it would hear a ring: from then on it must be rung whenever some may have been missed. */
  isListening: boolean
}

/** How long to wait for the first connection. Afterwards listening goes on without it, and rings once it is there. */
const PATIENCE_MS = 5_000

/**
 * Rings through PostgreSQL's NOTIFY. All listeners of a wire share one connection, which is opened for the first of
 * them, and opened anew whenever it breaks. What NOTIFY cannot promise (a pooler in between may swallow every ring)
 * the waiters' own looks make good. Whatever is rung rings those who follow events too, so that is never sent for them
 * alone.
 */
export function createNotifyWire({
  url,
  storeRings = false,
  random = Math.random,
  note = () => {},
}: NotifyOptions): Wire {
  const waiters = new Set<Waiter>()
  const ringer = createRinger(url)
  const ear = createEar({ url, random, note, onName: rung, onConnected: ringEverybody })

  function rung(name: string): void {
    for (const waiter of [...waiters]) {
      const heard = [name, RING_EVENTS].filter((each) => waiter.names.includes(each))
      if (heard.length > 0) waiter.onRing(heard)
    }
  }

  function ringEverybody(): void {
    for (const waiter of [...waiters]) if (waiter.isListening) waiter.onRing(waiter.names)
  }

  function close(waiter: Waiter): void {
    waiters.delete(waiter)
    if (waiters.size === 0) ear.rest()
  }

  return {
    ring(names) {
      const others = names.map(parseRingName).filter((name) => name !== RING_EVENTS)
      const left = others.filter((name) => !storeRings || isOurs(name))
      return left.length > 0 ? ringer.ring(left) : undefined
    },

    async listen(names, onRing): Promise<Listener> {
      const waiter: Waiter = { names: names.map(parseRingName), onRing, isListening: false }
      waiters.add(waiter)
      await ear.connected(PATIENCE_MS)
      waiter.isListening = true
      return { close: () => close(waiter) }
    },

    lastRungAt: () => undefined,

    async health() {
      try {
        await ringer.check()
      } catch (error) {
        return { isUp: false, detail: `PostgreSQL NOTIFY rings nobody: ${reasonOf(error)}` }
      }
      if (ear.isDeaf()) return { isUp: false, detail: 'PostgreSQL NOTIFY is not listened to: its connection is lost' }
      return { isUp: true, detail: 'PostgreSQL NOTIFY' }
    },

    async close() {
      waiters.clear()
      // Resting connections keep no process alive, but whoever waits for their end does.
      const alive = setInterval(() => {}, PATIENCE_MS)
      await Promise.all([ear.close(), ringer.close()]).finally(() => clearInterval(alive))
    },
  }
}

/** Names that no transaction rings by itself. */
function isOurs(name: string): boolean {
  return name.startsWith('@') && name !== RING_ALL
}
