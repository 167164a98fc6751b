import type { Looked } from '../../handoff/handoff-shelf.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Session } from '../../model/session.ts'
import type { Context } from '../context.ts'

interface Asked {
  readonly session: Session | undefined
  readonly timeoutMs: number
}

/**
 * Whether a session has left anything for the next one. Where nobody has set up a handoff there is nowhere to leave it;
 * and where the folders cannot be read, or not in time, the agent is not to blame.
 */
export async function hasHarvested(ctx: Context, { session, timeoutMs }: Asked): Promise<boolean> {
  // The folder of a session is one of its machine.
  if (session?.machine !== ctx.machine.name || session.project === null) return true
  let forget = () => {}
  const inTime = new Promise<true>((resolve) => {
    forget = ctx.timers.after(timeoutMs, () => resolve(true))
  })
  try {
    return await Promise.race([hasLeft(ctx, session.id, session.project), inTime])
  } catch (error) {
    ctx.note('gate.handoff-unreadable', { sessionId: session.id, error: reasonOf(error) })
    return true
  } finally {
    forget()
  }
}

async function hasLeft(ctx: Context, sessionId: string, project: string): Promise<boolean> {
  const shelf = await ctx.handoff()
  const root = await shelf.locate({ project })
  if (!(await shelf.isInitialised(root))) return true
  const isAmong = ({ items }: Looked) => items.some(({ from_session }) => from_session === sessionId)
  // Somebody else may have inherited it meanwhile.
  return isAmong(await shelf.look(root)) || isAmong(await shelf.processed(root))
}
