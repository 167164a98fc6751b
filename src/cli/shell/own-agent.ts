import { agentOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Postern } from '../../model/postern.ts'
import type { Args, Io } from './command.ts'

/** The agent that is meant: the one that is named, else the caller's own, else the session's. */
export async function requireOwnAgent(io: Pick<Io, 'environmentAgent'>, args: Args, postern: Postern): Promise<string> {
  const own = await ownAgent(io, args, postern)
  if (own !== undefined) return own
  throw new PosternError('USAGE', {
    message: 'It is not clear which agent is meant.',
    next: 'Name the agent with "--agent <agent>".',
  })
}

export async function ownAgent(
  io: Pick<Io, 'environmentAgent'>,
  args: Args,
  postern: Postern,
): Promise<string | undefined> {
  const named = args.get('agent') ?? args.get('as') ?? io.environmentAgent ?? agentOf(postern.caller)
  if (named !== undefined) return named
  const sessionId = args.get('session')
  if (sessionId === undefined) return undefined
  const [session] = await postern.sessions.list({ id: sessionId })
  return session?.agent
}
