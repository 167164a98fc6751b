import { ancestors, isSameProcess } from '../kit/node/processes.ts'
import type { Agent } from '../model/agent.ts'
import { type Caller, LOCAL_CALLER } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import type { HotPostern } from '../model/postern.ts'

/** Who there is, and in which sessions. */
type Roster = Pick<HotPostern, 'agents' | 'sessions'>

export interface IdentitySources {
  /** `--as`: who asks. */
  readonly as?: string
  /** `--agent`, or the agent that the environment names. */
  readonly agent?: string
  readonly via: string
}

/**
 * Says who asks, as far as a local process can: it is believed, but never called verified. An agent's process may not
 * pose as a person: whoever descends from a registered session of an AI is that agent.
 */
export async function identify(postern: Roster, { as, agent, via }: IdentitySources): Promise<Caller> {
  const named = as ?? agent
  if (named === undefined) {
    const own = await sessionAgent(postern)
    return own ? callerOf(own, via) : { ...LOCAL_CALLER, via }
  }
  const { id, kind } = await requireVoice(postern, named)
  // What is done for another is done with their inbox.
  if (agent !== undefined && agent !== named) await requireVoice(postern, agent)
  return { id, kind, verified: false, via }
}

/** The agent of that name, unless it is a person and this process an agent's. */
async function requireVoice(postern: Roster, named: string): Promise<Agent> {
  const agent = await postern.agents.show({ id: named })
  const own = agent.kind === 'human' ? await sessionAgent(postern) : undefined
  if (!own) return agent
  throw new PosternError('NOT_ALLOWED', {
    message: `This process belongs to a session of ${own.agent}, so it cannot speak as ${agent.id}.`,
    next: `Speak as ${own.agent}, or let ${agent.id} do it from a terminal of their own.`,
  })
}

function callerOf({ agent }: { readonly agent: string }, via: string): Caller {
  return { id: agent, kind: 'ai', verified: false, via }
}

/** The session of an AI that this process runs in, if any. */
async function sessionAgent(postern: Roster): Promise<{ readonly agent: string } | undefined> {
  const sessions = (await postern.sessions.list({})).filter(({ pid, liveness }) => pid !== null && liveness === 'alive')
  if (sessions.length === 0) return undefined
  const above = ancestors(process.pid)
  const session = sessions.find(
    ({ pid, pidStartedAt }) =>
      pid !== null &&
      pidStartedAt !== null &&
      above.some((each) => isSameProcess(each, { pid, startedAt: pidStartedAt })),
  )
  if (!session) return undefined
  const { kind } = await postern.agents.show({ id: session.agent })
  return kind === 'ai' ? session : undefined
}
