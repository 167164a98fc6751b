import { rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createPostern } from '../../core/postern.ts'
import { startUpkeep } from '../../loops/upkeep.ts'
import { PosternError } from '../../model/errors.ts'
import type { LocalPostern, Postern } from '../../model/postern.ts'
import { QUIET_FOLDER } from '../../model/quiet.ts'
import type { Store } from '../../store/store.ts'
import type { Wire } from '../../wires/wire.ts'
import { type Config, isPostgres, readConfig } from '../config/config.ts'
import { isStoreNamed } from '../config/folder-config.ts'
import { folderOf } from '../config/working-folder.ts'
import { type OpenOptions, openContext, requireUsableRules } from './context.ts'
import { openStore } from './store.ts'

export interface OpenPostern extends Omit<OpenOptions, 'config' | 'sharing' | 'onCreated'> {
  /** A path to a SQLite file or a `postgres://` URL; by default the store of the home. */
  readonly store?: string
  /**
   * The wire that rings across machines, such as `nats://127.0.0.1:4222`; that of the configuration by default. The
   * first call that waits for something connects to it.
   */
  readonly wire?: string
}

/** Opens a Postern whose core runs in this process. Close it when done. */
export async function openPostern(options: OpenPostern = {}): Promise<Postern> {
  const { store, home, wire, ...rest } = options
  const flags = {
    ...(store !== undefined && { store }),
    ...(home !== undefined && { home }),
    ...(wire !== undefined && { wire }),
  }
  const config = readConfig({ flags, env: process.env, cwd: folderOf({ flags, env: process.env }) })
  const { addEngine } = await import('../wires/add-engine.ts')
  const addWire = await addEngine(config, options.note)
  return open(config, { ...rest, limits: { ...config.limits, ...options.limits } }, addWire)
}

/** Opens the Postern that a configuration names: it connects to a server, or runs the core in this process. */
export async function openOrConnect(config: Config, options: OpenOptions): Promise<Postern> {
  if (config.url === null) return open(config, options)
  const { connectConfigured } = await import('../serving/connect.ts')
  return connectConfigured(config, config.url)
}

/**
 * Opens the store that a configuration names, with the core in this process. `addWire` may add another wire to the
 * store's.
 */
export async function open(
  config: Config,
  options: OpenOptions,
  addWire: (own: Wire) => Wire = (own) => own,
): Promise<LocalPostern> {
  requireUsableRules(config)
  if (options.mustExist) requireStore(config)
  const { store, wire } = await openStore(config, options)
  const postern = assemble(store, addWire(wire), { config, home: config.home, ...options })
  // Before the first answer, which could otherwise be that nothing waits. What fails is left for the next round.
  if (store.hasLost) await postern.upkeep.run().catch(() => undefined)
  return postern
}

/** Assembles a Postern from a store and a wire, and starts upkeep unless the options say otherwise. */
export function assemble(store: Store, wire: Wire, options: OpenOptions): LocalPostern {
  const { ctx, close } = openContext(store, wire, options)
  const upkeep = options.upkeep === false ? undefined : startUpkeep(ctx)
  return createPostern(ctx, async () => {
    await upkeep?.close()
    await close()
  })
}

/** A hook never creates a store: a missing or empty file is an error. An empty new store would hold no messages and no gates. */
function requireStore(config: Config): void {
  removeForeignQuietFiles(config)
  if (isPostgres(config.store)) return
  if (statSync(config.store, { throwIfNoEntry: false })?.size) return
  throw new PosternError('STORE_UNAVAILABLE', { path: config.store, reason: 'it is missing or empty' })
}

/**
 * Removes quiet files from the home if the configuration keeps the store elsewhere. The launcher looks for them only in
 * the home, and there they describe another store: no writer of this one would ever remove them.
 */
function removeForeignQuietFiles({ home, store, origins }: Config): void {
  if (isStoreNamed({ origins }) || dirname(store) === home) return
  try {
    rmSync(join(home, QUIET_FOLDER), { recursive: true, force: true })
  } catch {
    // The hook goes on, and the next one tries again.
  }
}
