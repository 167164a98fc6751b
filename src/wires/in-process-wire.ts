import type { OnRing, Wire } from './wire.ts'

interface Waiter {
  readonly names: readonly string[]
  readonly onRing: OnRing
}

/**
 * A wire for a process in which many callers ring and many listen, such as a server. Names that one commit rings are rung
 * once, and listeners in this process hear them at once. The wire beneath tells other processes. It rings here again after
 * that, which does no harm: a ring is a hint.
 */
export function createInProcessWire(wire: Wire): Wire {
  const waiters = new Set<Waiter>()
  let gathered = new Set<string>()
  let ringing: Promise<void> | undefined

  function ringHere(rung: ReadonlySet<string>): void {
    for (const waiter of [...waiters]) {
      const heard = waiter.names.filter((name) => rung.has(name))
      if (heard.length > 0 && waiters.has(waiter)) waiter.onRing(heard)
    }
  }

  async function ringGathered(): Promise<void> {
    // Callers that share a commit resume in the same turn, so all of them have rung when this continues.
    await undefined
    const names = gathered
    gathered = new Set()
    ringing = undefined
    ringHere(names)
    await wire.ring([...names])
  }

  return {
    ...wire,
    ring(names) {
      for (const name of names) gathered.add(name)
      ringing ??= ringGathered()
      return ringing
    },
    async listen(names, onRing) {
      const waiter = { names, onRing }
      const listener = await wire.listen(names, onRing)
      waiters.add(waiter)
      return {
        close() {
          waiters.delete(waiter)
          return listener.close()
        },
      }
    },
    async close() {
      waiters.clear()
      await wire.close()
    },
  }
}
