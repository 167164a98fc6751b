import type { BusPlace } from '../model/bus/entry.ts'
import { agentOf, type Caller } from '../model/caller.ts'
import { asPosternError, PosternError } from '../model/errors.ts'
import type { Scope } from '../model/network/token.ts'
import { withoutPlaces } from '../model/network/without-places.ts'
import type { Postern } from '../model/postern.ts'
import type { IdentifiedCaller } from '../operations/perform.ts'
import type { Tool } from '../operations/tools/tool.ts'
import type { Shown } from './shown.ts'

/** One agent at the other end of MCP, and what is known of it. Who it is says the connection, never an argument. */
export interface Connection extends IdentifiedCaller {
  readonly agent: string
  readonly tools: readonly Tool[]
  readonly shown: Shown
  /** What is meant where a tool names no project. */
  readonly places: Places
  /** The host's session in which the agent lives, where its hooks have told of one. */
  sessionId(): Promise<string | undefined>
  /** Brings in what lies in the spool of that session. */
  gather(): Promise<void>
  /** Speaks as the person who sits before the client; undefined where nobody has said who that is. */
  readonly person: (() => Promise<Postern>) | undefined
  /** Questions that are before that person now, by their ids. */
  readonly put: Set<string>
  /** Random letters and digits for a fence, never used before. */
  nonce(): string
}

export interface Places {
  /** The folder of the project, by its whole path. */
  readonly project?: string
  readonly bus?: BusPlace & { readonly runId?: string }
}

/** A client that has shown a credential may be on another machine, and learns no folder of this one. */
export function asSeenBy({ identity }: Pick<Connection, 'identity'>, thrown: unknown): PosternError {
  const error = asPosternError(thrown)
  return identity.caller.verified ? withoutPlaces(error) : error
}

/** The agent that a caller is: nobody else has an inbox to look into. */
export function requireAgentOf(caller: Caller): string {
  const agent = agentOf(caller)
  if (agent !== undefined) return agent
  throw new PosternError('NOT_ALLOWED', {
    message: 'It is not clear whose tools these are.',
    next: 'Start it with "postern mcp --agent <agent>", or use a token of that agent: "postern token create --scope agent:<agent>".',
  })
}

/** Whatever a token could do beyond, tools do only what the agent itself may. */
export function ownScope(caller: Caller): Scope {
  const kind = caller.kind === 'human' || caller.kind === 'service' ? caller.kind : 'agent'
  return { kind, id: caller.id }
}
