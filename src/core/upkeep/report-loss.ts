import { SYSTEM_CALLER } from '../../model/caller.ts'
import type { Context } from '../context.ts'
import { NOTICE_KEYS, pushNotice } from '../notices/notice.ts'
import { ring } from '../rings/ring.ts'

/**
 * Tells everybody, once, that acknowledged changes are missing from the store. Agents are told too: mail that they were
 * sent, or answers that they wait for, may be among them.
 */
export async function reportLoss(ctx: Context): Promise<void> {
  const rings = await ctx.store.transact(async (tx) => {
    const loss = await tx.upkeep.takeLoss()
    if (!loss) return []
    const agents = await tx.agents.list({ removed: false })
    return pushNotice(ctx, tx, {
      from: SYSTEM_CALLER,
      type: 'system',
      to: agents.filter(({ kind }) => kind !== 'service').map(({ id }) => id),
      dedupKey: `${NOTICE_KEYS}lost:${loss.at}`,
      subject: 'The store has lost acknowledged changes',
      content: `${loss.count} changes that Postern had acknowledged are missing from its store, noticed at ${new Date(loss.at).toISOString()}. Its write-ahead log was damaged or cut off, or an older copy of the store was put in its place. Messages and answers sent shortly before may be gone: ask their senders. "postern doctor" shows the state of the store.`,
    })
  })
  ring(ctx, rings)
}
