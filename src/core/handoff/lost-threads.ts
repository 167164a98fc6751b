import type { HandoffRoot } from '../../handoff/handoff-shelf.ts'
import { type ItemRef, OWN_BOX } from '../../model/handoff/item.ts'
import type { RootRef } from '../../store/store.ts'
import type { Context, Handoffs } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { fileKey, findGone } from './offered.ts'
import { endThreads, threadKey } from './threads.ts'

/**
 * Ends the threads of a project whose files are gone though nobody is being shown them: somebody has deleted one by hand.
 * Only its own box is looked at, for one that repositories share may lie anywhere.
 */
export async function endLostThreads(ctx: Context, handoffs: Handoffs, { root }: HandoffRoot): Promise<void> {
  const ref = { machine: ctx.machine.name, root }
  const { gates, inheritances } = ctx.store.read
  const prefix = threadKey(ref, { box: OWN_BOX, name: '' })
  const waiting = await gates.awaiting({ awaits: prefix, isPrefix: true })
  const names = waiting.map(({ awaits }) => (awaits ?? '').slice(prefix.length))
  // The folder of another project may begin like a file of this one.
  const items = names.filter((name) => !name.includes('/')).map((name) => ({ box: OWN_BOX, name }))
  const gone = await findGone(handoffs, { root, items })
  if (gone.length === 0) return
  const open = await inheritances.open({ machine: ctx.machine.name })
  const offered = new Set(open.flatMap((record) => record.items.map((item) => fileKey(record, item))))
  const lost = gone.filter((item) => !offered.has(fileKey(ref, item)))
  await endNow(ctx, ref, lost)
}

/** Ends a thread that somebody has inherited before its gate was set up, or the plan knew of it. */
export async function endIfLost(ctx: Context, handoffs: Handoffs, { root }: HandoffRoot, item: ItemRef): Promise<void> {
  await endNow(ctx, { machine: ctx.machine.name, root }, await findGone(handoffs, { root, items: [item] }))
}

async function endNow(ctx: Context, ref: RootRef, gone: readonly ItemRef[]): Promise<void> {
  if (gone.length === 0) return
  const threads = gone.map((item) => ({
    key: threadKey(ref, item),
    reason: 'its thread is not there any more',
  }))
  const rings = await ctx.store.transact((tx) => endThreads(ctx, tx, threads))
  ring(ctx, [...new Set(rings)])
}
