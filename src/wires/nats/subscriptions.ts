import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import type { OnRing } from '../wire.ts'
import { subjectsOf } from './subjects.ts'

/** Those who listen, and one subscription for each subject that any of them has to hear. */
export interface NatsSubscriptions {
  readonly size: number
  add(waiter: Waiter): void
  remove(waiter: Waiter): void
  clear(): void
  /** Subscribes to everything anew, on a connection that was just opened. */
  attach(connection: NatsConnection): void
  detach(): void
  /** Tells all who listen that they may have missed something. */
  ringEverybody(): void
}

export interface Waiter {
  readonly names: readonly string[]
  readonly onRing: OnRing
  /** Has been told that it would hear a ring: from then on it must be rung whenever some may have been missed. */
  isListening: boolean
}

interface Heard {
  readonly name: string
  count: number
  subscription: Subscription | undefined
}

export function createNatsSubscriptions(): NatsSubscriptions {
  const waiters = new Set<Waiter>()
  const subjects = new Map<string, Heard>()
  const rung = new Set<string>()
  let connection: NatsConnection | undefined

  function subscribe(subject: string, heard: Heard): void {
    if (!connection || connection.isClosed()) return
    heard.subscription = connection.subscribe(subject, {
      callback: (error) => {
        if (!error) hear(heard.name)
      },
    })
  }

  /** All that comes in one go is handed over at once: a message is rung and carried, and costs one look. */
  function hear(name: string): void {
    if (rung.size === 0) queueMicrotask(tell)
    rung.add(name)
  }

  function tell(): void {
    const names = new Set(rung)
    rung.clear()
    for (const waiter of [...waiters]) {
      const heard = waiter.names.filter((name) => names.has(name))
      if (heard.length > 0 && waiters.has(waiter)) waiter.onRing(heard)
    }
  }

  return {
    get size() {
      return waiters.size
    },
    add(waiter) {
      waiters.add(waiter)
      for (const name of waiter.names) {
        for (const subject of subjectsOf(name)) {
          const heard = subjects.get(subject) ?? { name, count: 0, subscription: undefined }
          subjects.set(subject, heard)
          if (heard.count++ === 0) subscribe(subject, heard)
        }
      }
    },
    remove(waiter) {
      if (!waiters.delete(waiter)) return
      for (const subject of waiter.names.flatMap(subjectsOf)) {
        const heard = subjects.get(subject)
        if (!heard || --heard.count > 0) continue
        subjects.delete(subject)
        if (connection && !connection.isClosed()) heard.subscription?.unsubscribe()
      }
    },
    clear() {
      waiters.clear()
      subjects.clear()
    },
    attach(opened) {
      connection = opened
      for (const [subject, heard] of subjects) subscribe(subject, heard)
    },
    detach() {
      connection = undefined
      for (const heard of subjects.values()) heard.subscription = undefined
    },
    ringEverybody() {
      for (const waiter of [...waiters]) if (waiter.isListening) waiter.onRing(waiter.names)
    },
  }
}
