import type { Wire } from './wire.ts'

/** Puts off a call, and returns how to take that back. */
export type Later = (call: () => void) => () => void

const afterMs =
  (ms: number): Later =>
  (call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  }

/** Long enough for the copies of a push to go first, and too short for anybody to notice. */
export const afterCopies = afterMs(10)

/** Long enough for whoever was rung to begin: on a small machine it would wait for its turn behind us. */
export const afterMoment = afterMs(2)

/** Whoever has rung is answered first: to hand something to a network takes longer than to have rung the neighbours. */
export const afterThisTurn: Later = (call) => {
  const turn = setImmediate(call)
  return () => clearImmediate(turn)
}

/**
 * A wire whose rings may wait for a moment, because copies travel on it and ring by themselves, or because something
 * else comes first. What many ring within that moment is rung once.
 */
export function ringLater(wire: Wire, later: Later): Wire {
  let gathered = new Set<string>()
  let cancel: (() => void) | undefined
  let ringing: PromiseWithResolvers<void> | undefined

  function ringNow(): void {
    cancel?.()
    const [names, settled] = [gathered, ringing]
    gathered = new Set()
    cancel = undefined
    ringing = undefined
    // What it throws at once rejects too.
    if (settled) settled.resolve((async () => wire.ring([...names]))())
  }

  return {
    ...bound(wire),
    ring(names) {
      for (const name of names) gathered.add(name)
      ringing ??= Promise.withResolvers()
      cancel ??= later(ringNow)
      return ringing.promise
    },
    async close() {
      const last = ringing?.promise.catch(() => {})
      ringNow()
      await last
      await wire.close()
    },
  }
}

/** A wire on which one name may wait for a moment, because those who listen to it are in less of a hurry than the others. */
export function ringOneLater(wire: Wire, name: string, later: Later): Wire {
  const unhurried = ringLater(wire, later)
  return {
    ...bound(wire),
    async ring(names) {
      const others = names.filter((each) => each !== name)
      const rung = (async () => wire.ring(others))()
      await Promise.all([rung, others.length < names.length ? unhurried.ring([name]) : undefined])
    },
    close: () => unhurried.close(),
  }
}

/** A wire may be a class, whose methods are no properties of its own. */
function bound(wire: Wire): Omit<Wire, 'ring' | 'close'> {
  return {
    listen: (names, onRing) => wire.listen(names, onRing),
    lastRungAt: (name) => wire.lastRungAt(name),
    health: () => wire.health(),
  }
}
