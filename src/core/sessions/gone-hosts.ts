import type { Session } from '../../model/session.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { type ClosedOffer, closeOffer } from '../offers/offers.ts'
import { isOrphaned, livenessOf } from './sessions.ts'

const PAGE = 500

/**
 * Sessions with an open offer whose host process or starter is gone: the mail that they were shown has no reader left.
 */
export function goneWithOffers(
  ctx: Context,
  { offers }: Pick<Shelves, 'offers'>,
  agent?: string,
): Promise<readonly Session[]> {
  const { name: machine } = ctx.machine
  const read = (after: string) => offers.hosts({ machine, after, limit: PAGE, ...(agent !== undefined && { agent }) })
  return findGone(read, (session) => isOrphaned(ctx, session))
}

/** Open sessions whose host process is gone. */
export function goneSessions(ctx: Context, { sessions }: Pick<Shelves, 'sessions'>): Promise<readonly Session[]> {
  const { name: machine } = ctx.machine
  const read = (after: string) => sessions.withHost({ machine, after, limit: PAGE })
  return findGone(read, (session) => livenessOf(ctx, session) === 'gone')
}

/** Reads page by page, so that no number of living sessions hides a dead one. */
async function findGone(
  read: (after: string) => Promise<readonly Session[]>,
  isGone: (session: Session) => boolean,
): Promise<readonly Session[]> {
  const gone: Session[] = []
  for (let after = ''; ; ) {
    const page = await read(after)
    // A session that has ended may still run, so only its process tells.
    gone.push(...page.filter((session) => isGone({ ...session, endedAt: null })))
    const last = page.at(-1)
    if (page.length < PAGE || !last) return gone
    after = last.id
  }
}

/** Takes back what these sessions were offered, printed or not: nobody says any more what became of it. */
export async function takeBackOf(
  ctx: Context,
  tx: Shelves,
  { gone, limit }: { readonly gone: readonly Session[]; readonly limit: number },
): Promise<readonly ClosedOffer[]> {
  if (gone.length === 0) return []
  const closed: ClosedOffer[] = []
  for (const { id } of await tx.offers.ofSessions({ sessionIds: gone.map((session) => session.id), limit })) {
    closed.push(await closeOffer(ctx, tx, id, 'lapsed', 'its host process is gone'))
  }
  return closed
}
