import { createBusPostern } from '../../core/bussed.ts'
import type { BusPostern } from '../../model/postern.ts'
import type { Config } from '../config.ts'
import { closer, createContext, type OpenOptions } from '../context.ts'
import { openStore } from '../embedded.ts'
import { keepBuses } from './kept-buses.ts'

/** Opens as much of Postern as writing on a bus and reading it need. */
export async function openBussed(config: Config, options: OpenOptions): Promise<BusPostern> {
  if (config.url !== null) return (await import('../serving/connect.ts')).connectConfigured(config, config.url)
  const { store, wire } = await openStore(config, options)
  const { ctx, closeBuses } = keepBuses(createContext(store, wire, { config, home: config.home, ...options }))
  return createBusPostern(ctx, closer(store, wire, closeBuses))
}
