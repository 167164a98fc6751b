import { PosternError } from '../../model/errors.ts'
import { VIA_AGENT } from '../../model/offer.ts'
import { parseSessionId, type Session } from '../../model/session.ts'
import type { Context } from '../context.ts'
import { closeOffer } from '../offers/offers.ts'
import { ring } from '../rings/ring.ts'

/**
 * Ends a session. What it was shown in the course of a turn has been consumed; what it was shown at its very start
 * may never have reached the model, so that is given back. What an agent's own loop holds is left to that.
 */
export async function endSession(ctx: Context, { id }: { readonly id: string }): Promise<Session> {
  const { ended, rings } = await ctx.store.transact(async (tx) => {
    const session = await tx.sessions.get(parseSessionId(id))
    if (!session) throw new PosternError('SESSION_NOT_FOUND', { id })
    const at = ctx.store.now()
    const rings: string[] = []
    for (const offer of await tx.offers.openOf({ sessionId: session.id })) {
      if (offer.via === VIA_AGENT) continue
      const wasConsumed = offer.printedAt !== null && offer.via !== 'session.start'
      const closed = await closeOffer(ctx, tx, offer.id, wasConsumed ? 'confirmed' : 'released', 'the session ended')
      rings.push(...closed.rings)
    }
    await tx.sessions.end({ id: session.id, at })
    return { ended: { ...session, endedAt: session.endedAt ?? at, lastEventAt: at }, rings }
  })
  ring(ctx, rings)
  return ended
}
