import type { OpenOptions } from '../../src/host/open/context.ts'
import { assemble } from '../../src/host/open/open.ts'
import { openEmbedded } from '../../src/host/open/store.ts'
import type { LocalPostern } from '../../src/model/postern.ts'

/** Opens an embedded store without any configuration. */
export async function openLocal(path: string, options: OpenOptions = {}): Promise<LocalPostern> {
  const { store, wire } = await openEmbedded(path, options)
  return assemble(store, wire, options)
}
