import type { InboxMessage } from '../../model/delivery.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Context } from '../context.ts'
import { type PeopleNotice, tellPeople } from '../notices/notice.ts'
import { ring } from '../rings/ring.ts'

const REASON = 'its stored row cannot be read or does not match its checksum'

/**
 * Moves an agent's damaged messages to `dead` and notifies the responsible people. Returns the others, which are shown as
 * usual.
 */
export async function quarantineDamaged(
  ctx: Context,
  agent: string,
  pending: readonly InboxMessage[],
): Promise<readonly InboxMessage[]> {
  const damaged = pending.filter((message) => message.damaged)
  if (damaged.length === 0) return pending
  const rings = await ctx.store.transact(async (tx) => {
    const inboxSeqs = damaged.map(({ inboxSeq }) => inboxSeq)
    const count = await tx.deliveries.quarantine({ agent, inboxSeqs, at: ctx.store.now(), reason: REASON })
    if (count === 0) return []
    return tellPeople(ctx, tx, damageNotice(agent, inboxSeqs))
  })
  ring(ctx, [RING_RECEIPTS, ...rings])
  return pending.filter((message) => !message.damaged)
}

function damageNotice(agent: string, inboxSeqs: readonly number[]): PeopleNotice {
  const count = inboxSeqs.length
  const range = [...new Set([Math.min(...inboxSeqs), Math.max(...inboxSeqs)])].join(' to ')
  const what = count === 1 ? `A message at place ${range}` : `${count} messages at places ${range}`
  return {
    key: `damaged:${agent}:${range}:${count}`,
    subject: count === 1 ? `A message to ${agent} is damaged` : `${count} messages to ${agent} are damaged`,
    content: `${what} in the inbox of ${agent} could not be read, or did not match the checksum: the file of the store was damaged or changed. Postern did not show what is damaged; it is dead now. The other messages are delivered. Run "postern doctor". Restore a backup if there is more damage.`,
  }
}
