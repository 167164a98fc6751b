import type { Wire } from './wire.ts'

/** Long enough for the copies of a push to go first, and too short for anybody to notice. */
const LATER_MS = 10

/**
 * A wire on which copies travel too, and ring by themselves. Rings without them may wait for a moment: then they are not in
 * the way of the copies, and what many pushes ring within it is rung once.
 */
export function ringLater(wire: Wire, laterMs = LATER_MS): Wire {
  let gathered = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let ringing: PromiseWithResolvers<void> | undefined

  function ringNow(): void {
    clearTimeout(timer)
    const [names, settled] = [gathered, ringing]
    gathered = new Set()
    timer = undefined
    ringing = undefined
    // What it throws at once rejects too.
    if (settled) settled.resolve((async () => wire.ring([...names]))())
  }

  return {
    ...bound(wire),
    ring(names) {
      for (const name of names) gathered.add(name)
      ringing ??= Promise.withResolvers()
      timer ??= setTimeout(ringNow, laterMs)
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

/** A wire may be a class, whose methods are no properties of its own. */
function bound(wire: Wire): Omit<Wire, 'ring' | 'close'> {
  return {
    listen: (names, onRing) => wire.listen(names, onRing),
    lastRungAt: (name) => wire.lastRungAt(name),
    health: () => wire.health(),
  }
}
