import type { Session } from '../../model/session.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { inSession, tellPeople } from '../notices/notice.ts'

/** Mail that is no more urgent than this waits for the next turn anyway. */
const STOP_PRIORITY = 2

/** What an agent would have been shown had its turn not been put off too often already. */
export async function tellOfRelease(ctx: Context, tx: Shelves, session: Session): Promise<readonly string[]> {
  const { id, agent, continuations } = session
  const now = ctx.store.now()
  const waiting = await tx.deliveries.countPending({ agent, now, maxPriority: STOP_PRIORITY })
  if (waiting === 0 || continuations === 0) return []
  const messages = waiting === 1 ? 'one message waits' : `${waiting} messages wait`
  return tellPeople(ctx, tx, {
    key: `stop-released:${id}:${now}`,
    subject: `${agent} was let go with mail unread`,
    content: `The end of ${agent}'s turn${inSession(id)} was put off ${continuations} times in a row. It was let go then, although ${messages} for it; they are shown when it goes on.`,
    cause: ctx.caller,
  })
}
