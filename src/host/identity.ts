import {
  type Ancestor,
  isSameProcess,
  isSameSystem,
  machineName,
  ownAncestors,
  type ProcessId,
} from '../kit/node/processes.ts'
import type { Agent, AgentKind } from '../model/agent.ts'
import { type Caller, hasCredential, LOCAL_CALLER } from '../model/caller.ts'
import type { Postern } from '../model/postern.ts'

/** Who there is, and in which sessions; and whom a credential has named, if there is one. */
export type Roster = Pick<Postern, 'caller' | 'agents' | 'sessions'>

/** A session of an agent whose host is above this process. */
export interface OwnSession {
  readonly id: string
  readonly agent: string
  readonly kind: AgentKind
  /** The session has ended, and its host lives on. */
  readonly isOver: boolean
  /** The host itself has started this process. */
  readonly isChild: boolean
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
 * pose as a person. A process below the host of an agent's session is that agent, also after the session has ended.
 */
export async function identify(postern: Roster, { as, agent, via }: IdentitySources): Promise<Caller> {
  const named = as ?? agent
  if (hasCredential(postern.caller)) {
    if (named === undefined || named === postern.caller.id) return postern.caller
    throw (await import('./person-voice.ts')).anotherName(postern.caller, named)
  }
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
  return hasCredential(caller) ? caller : { ...LOCAL_CALLER, via }
}

/** The agent of that name. A person's name is refused to a process of an agent. */
async function requireVoice(postern: Roster, named: string): Promise<Agent> {
  const agent = await postern.agents.show({ id: named })
  // Loaded on use: few commands are a person's.
  if (agent.kind === 'human') await (await import('./person-voice.ts')).requirePersonsVoice(postern, agent.id)
  return agent
}

function callerOf({ agent, kind }: OwnSession, via: string): Caller {
  return { id: agent, kind, verified: false, via }
}

/**
 * The session of an agent that this process runs in, if any: an open one first. A host may also run sessions that claim
 * to be a person's, which say nothing about the process.
 */
export async function ownSession(postern: Roster): Promise<OwnSession | undefined> {
  const above = ownAncestors()
  if (above.length === 0) return undefined
  const here = machineName()
  const sessions = await postern.sessions.list({ pids: above.flatMap(({ pids }) => pids) })
  for (const { id, agent, machine, pid, pidStartedAt, endedAt } of sessions) {
    if (pid === null || pidStartedAt === null || !isSameSystem(machine, here)) continue
    const at = above.findIndex((each) => isHost(each, { pid, startedAt: pidStartedAt }))
    if (at < 0) continue
    const { kind } = await postern.agents.show({ id: agent })
    if (kind !== 'human') return { id, agent, kind, isOver: endedAt !== null, isChild: at === 0 }
  }
  return undefined
}

function isHost({ pids, startedAt }: Ancestor, host: ProcessId): boolean {
  return pids.some((pid) => isSameProcess({ pid, startedAt }, host))
}
