import { FIRED_WITHIN_MS, parseSessionId } from '../../model/session.ts'
import type { Context } from '../context.ts'

const FIRING = 'inherit: nothing'

/**
 * Notes that a session is being told that nothing waits for it. True where it need not be, because hooks are installed
 * twice: the other one has just told it, or is showing what there was. Loss of power only makes it be told again.
 */
export function isToldOfNothing(ctx: Context, { sessionId }: { readonly sessionId: string }): Promise<boolean> {
  const id = parseSessionId(sessionId)
  const at = ctx.store.now()
  return ctx.store.transact(
    async (tx) =>
      (await tx.sessions.inheritedAt({ sessionId: id })) === 0 ||
      (await tx.sessions.hasFired({ id, firing: FIRING, at, since: at - FIRED_WITHIN_MS })),
    { isDurable: false },
  )
}
