import type { Wire } from './wire.ts'

/** Delays a call, and returns how to cancel it. */
export type Delay = (call: () => void) => () => void

const afterMs =
  (ms: number): Delay =>
  (call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  }

/** Long enough for the copies of a push to go first, and too short to notice. */
export const afterCopies = afterMs(10)

/** Long enough for the process that was rung first to run: on a small machine it would wait behind this one. */
export const afterMoment = afterMs(2)

/** The caller that rang is answered first: writing to a network takes longer than ringing this machine. */
export const afterThisTurn: Delay = (call) => {
  const turn = setImmediate(call)
  return () => clearImmediate(turn)
}

/**
 * A wire whose rings wait for a moment, because the copies on it ring by themselves, or because other work comes first.
 * Names that several callers ring within that moment are rung once.
 */
export function delayRings(wire: Wire, delay: Delay): Wire {
  let gathered = new Set<string>()
  let cancel: (() => void) | undefined
  let ringing: PromiseWithResolvers<void> | undefined

  function ringNow(): void {
    cancel?.()
    const [names, settled] = [gathered, ringing]
    gathered = new Set()
    cancel = undefined
    ringing = undefined
    // The async function turns a synchronous throw into a rejection.
    if (settled) settled.resolve((async () => wire.ring([...names]))())
  }

  return {
    ...bound(wire),
    ring(names) {
      for (const name of names) gathered.add(name)
      ringing ??= Promise.withResolvers()
      cancel ??= delay(ringNow)
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

/** A wire on which one name waits for a moment, because its listeners are in less of a hurry than the others. */
export function delayRingsOf(wire: Wire, name: string, delay: Delay): Wire {
  const unhurried = delayRings(wire, delay)
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

/** A wire may be an instance of a class, whose methods a spread would not copy. */
function bound(wire: Wire): Omit<Wire, 'ring' | 'close'> {
  return {
    listen: (names, onRing) => wire.listen(names, onRing),
    lastRungAt: (name) => wire.lastRungAt(name),
    health: () => wire.health(),
  }
}
