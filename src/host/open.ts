import type { Postern } from '../model/postern.ts'
import type { Wire } from '../wires/wire.ts'
import { createAnnouncer } from './announce.ts'
import { type Config, readConfig } from './config.ts'
import type { OpenOptions } from './context.ts'
import { openStore } from './embedded.ts'
import { readHookConfig } from './hook-config.ts'
import { assemble } from './open-local.ts'
import { addEngine } from './wires/add-engine.ts'

export interface OpenPostern extends Omit<OpenOptions, 'config' | 'sharing'> {
  /** A path to a SQLite file or a `postgres://` URL; by default the store of the home. */
  readonly store?: string
  /**
   * What rings across machines, such as `nats://127.0.0.1:4222`; by default as the configuration says. It is connected to
   * by the first who waits for something.
   */
  readonly wire?: string
}

/** Opens a store with the heart in this process. Close it when done. */
export async function openPostern(options: OpenPostern = {}): Promise<Postern> {
  const { store, home, wire, ...rest } = options
  const flags = {
    ...(store !== undefined && { store }),
    ...(home !== undefined && { home }),
    ...(wire !== undefined && { wire }),
  }
  const config = readConfig({ flags, env: process.env, cwd: process.cwd() })
  return openConfigured(
    config,
    { ...rest, limits: { ...config.limits, ...options.limits } },
    await addEngine(config, options.note),
  )
}

/** Makes one wire of the store's own and another. */
type AddWire = (own: Wire) => Wire

export async function openConfigured(
  config: Config,
  options: OpenOptions,
  add: AddWire = (own) => own,
): Promise<Postern> {
  const { sessionGates, userHooks } = readHookConfig(config)
  const { store, wire: own } = await openStore(config, options)
  const wire = add(own)
  const announce = createAnnouncer(userHooks, options.note)
  return assemble(store, wire, { sessionGates, announce, config, home: config.home, ...options })
}

/** The Postern that a configuration names: behind a server, or with the heart in this process. */
export async function openOrConnect(config: Config, options: OpenOptions): Promise<Postern> {
  if (config.url === null) return openConfigured(config, options)
  const { connectConfigured } = await import('./serving/connect.ts')
  return connectConfigured(config, config.url)
}
