import { createPostern } from '../core/postern.ts'
import { startUpkeep } from '../core/upkeep/loops.ts'
import type { Postern } from '../model/postern.ts'
import type { Store } from '../store/store.ts'
import type { Wire } from '../wires/wire.ts'
import { keepBuses } from './bus/kept-buses.ts'
import { closer, createContext, type OpenOptions } from './context.ts'
import { openEmbedded } from './embedded.ts'
import { keepLedger } from './ledger/kept-ledger.ts'

export type { OpenOptions }

/** Opens the embedded store with the heart and nothing else. */
export async function openLocal(path: string, options: OpenOptions = {}): Promise<Postern> {
  const { store, wire } = await openEmbedded(path, options)
  return assemble(store, wire, options)
}

/** Puts a Postern together from a store and a wire. */
export function assemble(store: Store, wire: Wire, options: OpenOptions): Postern {
  const { ctx: kept, closeBuses } = keepBuses(createContext(store, wire, options))
  const { ctx, closeLedger } = keepLedger(kept)
  const upkeep = options.upkeep === false ? undefined : startUpkeep(ctx)
  const close = closer(store, wire, async () => {
    upkeep?.stop()
    closeBuses()
    await closeLedger()
  })
  return createPostern(ctx, close)
}
