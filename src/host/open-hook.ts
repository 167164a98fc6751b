import { existsSync } from 'node:fs'
import { createHookPostern } from '../core/hooked.ts'
import { PosternError } from '../model/errors.ts'
import type { HookPostern } from '../model/postern.ts'
import { type Config, isPostgres } from './config.ts'
import { closer, createContext, type OpenOptions } from './context.ts'
import { openStore } from './embedded.ts'

/** Opens as much of Postern as a hook needs. It never makes a store: one that is gone is a fault, not a beginning. */
export async function openHook(config: Config, options: OpenOptions): Promise<HookPostern> {
  if (!isPostgres(config.store) && !existsSync(config.store)) {
    throw new PosternError('STORE_UNAVAILABLE', { path: config.store, reason: 'there is no such file' })
  }
  const { store, wire } = await openStore(config, options)
  return createHookPostern(createContext(store, wire, options), closer(store, wire))
}
