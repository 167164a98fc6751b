import { createPostern } from '../core/postern.ts'
import { startUpkeep } from '../core/upkeep/loops.ts'
import type { Postern } from '../model/postern.ts'
import type { Store } from '../store/store.ts'
import type { Wire } from '../wires/wire.ts'
import { keepBuses } from './bus/kept-buses.ts'
import { closer, createContext, type OpenOptions } from './context.ts'
import { openEmbedded } from './embedded.ts'

export type { OpenOptions }

/** Opens the embedded store with the heart and nothing else. */
export async function openLocal(path: string, options: OpenOptions = {}): Promise<Postern> {
  const { store, wire } = await openEmbedded(path, options)
  return assemble(store, wire, options)
}

/** Puts a Postern together from a store and a wire. */
export function assemble(store: Store, wire: Wire, options: OpenOptions): Postern {
  const { ctx, closeBuses } = keepBuses(createContext(store, wire, options))
  const upkeep = options.upkeep === false ? undefined : startUpkeep(ctx)
  const close = closer(store, wire, () => {
    upkeep?.stop()
    closeBuses()
  })
  return createPostern(ctx, close)
}
