import { createHotPostern } from '../core/hot.ts'
import type { HotPostern } from '../model/postern.ts'
import type { Config } from './config.ts'
import { closer, createContext, type OpenOptions } from './context.ts'
import { openStore } from './embedded.ts'

/** Opens as much of Postern as pushing and draining need. */
export async function openHot(config: Config, options: OpenOptions): Promise<HotPostern> {
  if (config.url !== null) return (await import('./serving/connect.ts')).connectConfigured(config, config.url)
  const { store, wire } = await openStore(config, options)
  return createHotPostern(createContext(store, wire, { config, ...options }), closer(store, wire))
}
