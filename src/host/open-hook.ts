import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createHookPostern } from '../core/hooked.ts'
import { PosternError } from '../model/errors.ts'
import type { HookPostern } from '../model/postern.ts'
import { QUIET_FOLDER } from '../model/quiet.ts'
import { type Config, isPostgres } from './config.ts'
import { closer, createContext, type OpenOptions } from './context.ts'
import { openStore } from './embedded.ts'

/**
 * The launcher looks for quiet files in the home alone. Where the configuration keeps the store elsewhere, those that are
 * still there speak of another, and nobody who writes to this one would ever remove them.
 */
function removeStrangers({ home, store, origins }: Config): void {
  const isForAll = origins['store'] !== '--store' && origins['store'] !== 'POSTERN_STORE'
  if (!isForAll || dirname(store) === home) return
  try {
    rmSync(join(home, QUIET_FOLDER), { recursive: true, force: true })
  } catch {
    // This event is answered all the same, and the next one tries again.
  }
}

/** Opens as much of Postern as a hook needs. It never makes a store: one that is gone is a fault, not a beginning. */
export async function openHook(config: Config, options: OpenOptions): Promise<HookPostern> {
  removeStrangers(config)
  if (!isPostgres(config.store) && !existsSync(config.store)) {
    throw new PosternError('STORE_UNAVAILABLE', { path: config.store, reason: 'there is no such file' })
  }
  // What was opened for a look may be the store of another folder's configuration.
  const isSame = options.opened?.connection.path === config.store
  const { store, wire } = await openStore(config, isSame ? options : { ...options, opened: undefined })
  return createHookPostern(createContext(store, wire, { config, ...options }), closer(store, wire))
}
