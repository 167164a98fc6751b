import type { OpenOptions } from '../../src/host/open/context.ts'
import { assemble } from '../../src/host/open/open.ts'
import { openEmbedded } from '../../src/host/open/store.ts'
import type { LocalPostern } from '../../src/model/postern.ts'
import { copyMigrated } from './migrated-store.ts'

/** Opens an embedded store without any configuration. A new store is a copy of a migrated one. */
export async function openLocal(path: string, options: OpenOptions = {}): Promise<LocalPostern> {
  await copyMigrated(path)
  const { store, wire } = await openEmbedded(path, options)
  return assemble(store, wire, options)
}
