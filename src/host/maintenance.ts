import type { Store } from '../store/store.ts'
import type { Config } from './config.ts'
import { openStore } from './embedded.ts'

/** The bare store, for what concerns the store itself: migrating it, copying it, looking at its health. */
export async function openMaintenance(config: Config): Promise<Pick<Store, 'location' | 'check' | 'backup' | 'close'>> {
  const { store, wire } = await openStore(config, {})
  await wire.close()
  return store
}
