import { dirname, join } from 'node:path'
import { openSqliteStore } from '../../store/sqlite/store.ts'
import type { Store } from '../../store/store.ts'
import { createDoorbell } from '../../wires/local/doorbell.ts'
import type { Wire } from '../../wires/wire.ts'
import { type Config, isPostgres } from '../config/config.ts'
import { createMessageMacs } from '../credentials/message-macs.ts'
import type { OpenOptions } from './context.ts'

/** A store and the wire that rings through it. */
export interface OpenedStore {
  readonly store: Store
  readonly wire: Wire
}

/** Opens the store that a configuration names. */
export function openStore(config: Config, options: OpenOptions): Promise<OpenedStore> {
  const atHome = { home: config.home, ...options }
  if (isPostgres(config.store)) return openPostgres(config.store, atHome)
  // A new store knows no gates. The sessions that the old one held stay held.
  const onCreated = async () => (await import('../shadow-copies.ts')).restoreShadows(config.home)
  return openEmbedded(config.store, { ...atHome, onCreated })
}

/** Opens the embedded store, with its doorbell in the same folder. */
export async function openEmbedded(path: string, options: OpenOptions): Promise<OpenedStore> {
  // The store that was opened early may be that of another folder's configuration.
  const opened = options.opened?.connection.path === path ? options.opened : undefined
  const store = await openSqliteStore({
    ...options,
    opened,
    isBrief: options.upkeep === false && !options.isLasting,
    path,
    random: Math.random,
    macs: createMessageMacs(options.home ?? dirname(path), options.note),
  })
  return { store, wire: createDoorbell({ folder: join(dirname(path), 'bells') }) }
}

/** Opens a store on a PostgreSQL server. The driver is loaded on first use. Without a home its messages get no MACs. */
export async function openPostgres(
  url: string,
  { busyMs, isShared = false, home, note }: Pick<OpenOptions, 'busyMs' | 'isShared' | 'home' | 'note'> = {},
): Promise<OpenedStore> {
  const [{ openPostgresStore }, { createNotifyWire }] = await Promise.all([
    import('../../store/postgres/store.ts'),
    import('../../wires/postgres/notify.ts'),
  ])
  const store = await openPostgresStore({
    url,
    random: Math.random,
    isShared,
    macs: home === undefined ? undefined : createMessageMacs(home, note),
    ...(busyMs !== undefined && { busyMs }),
  })
  return { store, wire: createNotifyWire({ url, storeRings: !isShared }) }
}

/** Opens only the store, for commands about the store itself: migrate, copy, check. */
export async function openBareStore(config: Config): Promise<Store> {
  const { store, wire } = await openStore(config, { upkeep: false })
  await wire.close()
  return store
}
