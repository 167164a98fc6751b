import type { OnRing, Wire } from './wire.ts'

interface Waiter {
  readonly names: readonly string[]
  readonly onRing: OnRing
}

/**
 * A wire for a process in which many ring and many wait, as a server's clients do. What is rung by the same commit is
 * rung once, and whoever waits in this process is told at once. The wire beneath tells everybody else; what it rings
 * here after that comes for nothing, as a ring may.
 */
export function createSharedWire(wire: Wire): Wire {
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
    // Those who share a commit are answered in one go, so all of them have rung when this goes on.
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
