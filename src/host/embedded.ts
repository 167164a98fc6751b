import { dirname, join } from 'node:path'
import { openSqliteStore } from '../store/sqlite/store.ts'
import type { Store } from '../store/store.ts'
import { createDoorbell } from '../wires/local/doorbell.ts'
import type { Wire } from '../wires/wire.ts'
import { type Config, isPostgres } from './config.ts'
import type { OpenOptions } from './context.ts'

/** The embedded store and the doorbell beside it. */
export async function openEmbedded(path: string, options: OpenOptions): Promise<{ store: Store; wire: Wire }> {
  const store = await openSqliteStore({ ...options, now: options.now ?? Date.now, path, random: Math.random })
  return { store, wire: createDoorbell({ folder: join(dirname(path), 'bells') }) }
}

/** The store that a configuration names, and what rings through it. PostgreSQL's part is loaded only where it is used. */
export async function openStore(config: Config, options: OpenOptions): Promise<{ store: Store; wire: Wire }> {
  if (!isPostgres(config.store)) return openEmbedded(config.store, options)
  const { openRemote } = await import('./remote.ts')
  const { busyMs, isShared = false } = options
  return openRemote(config.store, { isShared, ...(busyMs !== undefined && { busyMs }) })
}
