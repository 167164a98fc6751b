import { SYSTEM_CALLER } from '../../model/caller.ts'
import { type ItemRef, OWN_BOX } from '../../model/handoff/item.ts'
import type { RootRef, Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { closeGate } from '../gates/close.ts'

/**
 * By what the store knows the file of a thread. Its gate and its plan are found by that, and not by what the file says:
 * anybody can write the name of a gate into one. A box that repositories share is the same one for all of them.
 */
export function threadKey({ machine, root }: RootRef, { box, name }: ItemRef): string {
  return `handoff:${machine}:${box === OWN_BOX ? root : ''}:${box}/${name}`
}

export interface EndedThread {
  readonly key: string
  readonly reason: string
}

/**
 * Opens the gates of threads, and deletes the plans that would remind of them. Returns whom to ring after the commit.
 * Plans are locked before gates and inboxes, as by whoever fires one.
 */
export async function endThreads(
  ctx: Context,
  tx: Shelves,
  threads: readonly EndedThread[],
): Promise<readonly string[]> {
  if (threads.length === 0) return []
  await tx.plans.delete({ about: threads.map(({ key }) => key) })
  const rings: string[] = []
  for (const { key, reason } of threads) {
    for (const gate of await tx.gates.awaiting({ awaits: key })) {
      const closed = await closeGate(ctx, tx, gate, { to: 'resolved', by: SYSTEM_CALLER, reason })
      rings.push(...(closed?.rings ?? []))
    }
  }
  return rings
}
