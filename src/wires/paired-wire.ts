import { reasonOf } from '../kit/pure/reason-of.ts'
import type { Listener, OnRing, Wire } from './wire.ts'

/** Logs that the engine could not be listened to. */
type Note = (event: string, fields: Readonly<Record<string, unknown>>) => void

/**
 * Joins the store's own wire and the wire to an engine: a ring goes to both, and a listener hears both. Only a failure of
 * the store's wire is a failure. While the engine is down nothing waits for it, and a listener that began meanwhile is rung
 * once the engine is back.
 */
export function createPairedWire(own: Wire, engine: Wire, note: Note = () => {}): Wire {
  return {
    async ring(names) {
      // Both begin at once, the nearer one first. The engine's wire logs when it is down, and the relay carries what was
      // stored once it is back.
      const near = (async () => own.ring(names))()
      const there = settle(() => engine.ring(names))
      await Promise.all([near, there])
    },
    async listen(names, onRing) {
      const far = listenFar(engine, names, onRing, note)
      try {
        const near = await own.listen(names, onRing)
        far.begin()
        return {
          async close() {
            far.close()
            await near.close()
          },
        }
      } catch (error) {
        far.close()
        throw error
      }
    },
    lastRungAt: (name) => latest(own.lastRungAt(name), engine.lastRungAt(name)),
    async health() {
      const [near, there] = await Promise.all([own.health(), engine.health()])
      return { isUp: near.isUp && there.isUp, detail: `${near.detail}; ${there.detail}` }
    },
    async close() {
      await Promise.all([own.close(), engine.close()])
    },
  }
}

interface FarListener extends Listener {
  /** From now on the listener believes that it misses nothing. */
  begin(): void
}

/** Listens as soon as the engine can be reached, and rings then, because earlier rings were not heard. */
function listenFar(engine: Wire, names: readonly string[], onRing: OnRing, note: Note): FarListener {
  let isBegun = false
  let isClosed = false
  const listening = engine.listen(names, (rung) => {
    if (!isClosed) onRing(rung)
  })
  listening.then(
    () => {
      if (isBegun && !isClosed) onRing(names)
    },
    (error: unknown) => {
      if (!isClosed) note('wire.deaf', { error: reasonOf(error) })
    },
  )
  return {
    begin() {
      isBegun = true
    },
    close() {
      isClosed = true
      listening.then((listener) => listener.close()).catch(() => {})
    },
  }
}

async function settle(call: () => void | Promise<void>): Promise<void> {
  try {
    await call()
  } catch {}
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
}
