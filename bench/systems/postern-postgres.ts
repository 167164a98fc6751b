import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assemble } from '../../src/host/open/open.ts'
import type { Store } from '../../src/store/store.ts'
import type { Wire } from '../../src/wires/wire.ts'
import { asSystem, limitsFor } from './postern.ts'
import type { System, SystemOptions } from './system.ts'

interface StoreModule {
  openPostgresStore(options: { url: string; random: () => number }): Promise<Store>
}

interface WireModule {
  createNotifyWire(options: { url: string; storeRings: boolean }): Wire
}

/** Postern on PostgreSQL, put together as its host does. */
export async function openPosternPostgres(url: string, options: SystemOptions = {}): Promise<System> {
  const { openPostgresStore } = await load<StoreModule>('../../src/store/postgres/store.ts')
  const { createNotifyWire } = await load<WireModule>('../../src/wires/postgres/notify.ts')
  const store = await openPostgresStore({ url, random: Math.random })
  const wire = createNotifyWire({ url, storeRings: true })
  const postern = assemble(store, wire, { upkeep: false, limits: limitsFor(options) })
  return asSystem(postern, options)
}

async function load<T>(path: string): Promise<T> {
  const url = new URL(path, import.meta.url)
  if (!existsSync(fileURLToPath(url))) throw new Error(`${path.replace('../../', '')} is not written yet`)
  return import(url.href) as Promise<T>
}
