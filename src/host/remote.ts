import { openPostgresStore } from '../store/postgres/store.ts'
import type { Store } from '../store/store.ts'
import { createNotifyWire } from '../wires/postgres/notify.ts'
import type { Wire } from '../wires/wire.ts'

/** A store on another machine, with the wire that rings through it. A part of its own, loaded only where it is used. */
export async function openRemote(
  url: string,
  options: { readonly busyMs?: number; readonly isShared?: boolean } = {},
): Promise<{ store: Store; wire: Wire }> {
  const store = await openPostgresStore({ url, random: Math.random, ...options })
  return { store, wire: createNotifyWire({ url, storeRings: !options.isShared }) }
}
