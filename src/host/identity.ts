import { ancestors, isSameProcess, machineName } from '../kit/node/processes.ts'
import type { Agent } from '../model/agent.ts'
import { agentOf, type Caller, LOCAL_CALLER } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import type { Postern } from '../model/postern.ts'

/** Who there is, and in which sessions; and whom a credential has named, if there is one. */
type Roster = Pick<Postern, 'caller' | 'agents' | 'sessions'>

/** The session of an AI that this process belongs to. */
export interface OwnSession {
  readonly id: string
  readonly agent: string
  /** Of the host. */
  readonly pid: number | null
}

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
  if (isProven(postern.caller)) return requireSame(postern.caller, named)
  if (named === undefined) {
    const own = await ownSession(postern)
    return own ? callerOf(own, via) : { ...LOCAL_CALLER, via }
  }
  const { id, kind } = await requireVoice(postern, named)
  // What is done for another is done with their inbox.
  if (agent !== undefined && agent !== named) await requireVoice(postern, agent)
  return { id, kind, verified: false, via }
}

/** Whoever asks where it does not matter who does. */
export function anyone({ caller }: Pick<Roster, 'caller'>, via: string): Caller {
  return isProven(caller) ? caller : { ...LOCAL_CALLER, via }
}

/** True where a token has said which agent or person asks: nobody can be another by naming them. */
function isProven(caller: Caller): boolean {
  return caller.verified && agentOf(caller) !== undefined
}

function requireSame(caller: Caller, named: string | undefined): Caller {
  if (named === undefined || named === caller.id) return caller
  throw new PosternError('NOT_ALLOWED', {
    message: `The token is that of ${caller.id}, so it cannot speak as ${named}.`,
    next: `Leave the name out, or use a token of ${named}.`,
  })
}

/** The agent of that name, unless it is a person and this process an agent's. */
async function requireVoice(postern: Roster, named: string): Promise<Agent> {
  const agent = await postern.agents.show({ id: named })
  const own = agent.kind === 'human' ? await ownSession(postern) : undefined
  if (!own) return agent
  throw new PosternError('NOT_ALLOWED', {
    message: `This process belongs to a session of ${own.agent}, so it cannot speak as ${agent.id}.`,
    next: `Speak as ${own.agent}, or let ${agent.id} do it from a terminal of their own.`,
  })
}

/**
 * The person whom the user has named as sitting before a host, for a program that the host itself has started to ask them
 * something. What an agent's commands start further down is no such program.
 */
export async function personBefore(postern: Roster, named: string, via: string): Promise<Caller> {
  const { id, kind } = await postern.agents.show({ id: named })
  if (kind !== 'human') {
    throw new PosternError('NOT_ALLOWED', { message: `${id} is no person.`, next: 'Name a person who is registered.' })
  }
  const own = await ownSession(postern)
  if (own && own.pid !== process.ppid) {
    throw new PosternError('NOT_ALLOWED', {
      message: `This process was started by ${own.agent}, so it cannot speak as ${id}.`,
      next: 'Let the host start it, as its configuration says.',
    })
  }
  return { id, kind, verified: false, via }
}

function callerOf({ agent }: OwnSession, via: string): Caller {
  return { id: agent, kind: 'ai', verified: false, via }
}

/** The session of an AI that this process runs in, if any. */
export async function ownSession(postern: Roster): Promise<OwnSession | undefined> {
  // Where the heart runs on another machine, it cannot tell which processes of this one are alive.
  const here = machineName()
  const sessions = (await postern.sessions.list({})).filter(
    ({ pid, machine, liveness }) => pid !== null && machine === here && liveness !== 'gone',
  )
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
