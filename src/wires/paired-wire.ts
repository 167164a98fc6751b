import { reasonOf } from '../kit/pure/reason-of.ts'
import type { Listener, OnRing, Wire } from './wire.ts'

/** Told of an engine that could not be listened to. */
type Note = (event: string, fields: Readonly<Record<string, unknown>>) => void

/**
 * The store's own wire and one to an engine as one: what is rung goes to both, and who listens hears both. The store's
 * decides what succeeds. An engine that is away costs nobody anything, and whoever began to listen meanwhile is rung once
 * it is heard.
 */
export function createBothWires(own: Wire, engine: Wire, note: Note = () => {}): Wire {
  return {
    async ring(names) {
      // Both begin at once, the nearer one first. The engine says itself when it is away, and whatever was stored is
      // carried there once it is back.
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
  /** From now on whoever listens believes that it has missed nothing. */
  begin(): void
}

/** Listens as soon as the engine lets it, and rings then: what came before was not heard. */
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
