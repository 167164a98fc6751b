import type { ServerContext } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { randomToken } from '../kit/node/crypto.ts'
import type { Postern } from '../model/postern.ts'
import type { Tool } from '../operations/tools/tool.ts'
import { startChannel } from './channel.ts'
import { type Connection, ownScope, type Places, requireAgentOf } from './connection.ts'
import { createHostSession } from './host-session.ts'
import { ENDINGS } from './left-offers.ts'
import { createMcpServer, type Era } from './mcp-server.ts'
import { type Changes, createChanges } from './resources/changes.ts'
import { createShown } from './shown.ts'
import { createWire, type Wire } from './stdio-wire.ts'
import type { Outcome } from './tools/tool-call.ts'
import { createWitness, type Witness } from './witness.ts'

export { costOf, findTools } from './tool-sets.ts'

export interface ServeMcp {
  /** Bound to the agent whose tools these are. */
  readonly postern: Postern
  readonly tools: readonly Tool[]
  readonly places: Places
  /** The host's session, where the environment names it. */
  readonly sessionId: string | undefined
  readonly person: Connection['person']
  /** Whether Claude Code is to be woken through its channel. */
  readonly hasChannel: boolean
  /** The command that started this server. With internal options it settles the offers of a server that was killed. */
  readonly command: readonly string[]
  /** Resolves when this is to end although the client is still there. */
  readonly stopped: Promise<void>
  readonly note: (line: string) => void
}

const NONCE_CHARACTERS = 12

/** Speaks MCP on stdin and stdout until the client ends it. */
export async function serveMcp(options: ServeMcp): Promise<void> {
  const { postern, stopped, hasChannel, note } = options
  const agent = requireAgentOf(postern.caller)
  await postern.agents.show({ id: agent })
  // Claude Code takes the newer revision where it is offered, and its channels work with the older one only.
  const wire = createWire({ isLegacyOnly: hasChannel })
  const witness = createWitness({ command: options.command })
  const connection = createConnection(options, { agent, wire, witness })
  const opened = new Set<Changes>()
  const handle = serveStdio(({ era }) => open(era), { transport: wire, onerror: (error) => note(error.message) })
  let isAskedToEnd = false
  void stopped.then(() => {
    isAskedToEnd = true
  })
  await Promise.race([wire.closed, stopped])
  // Check this first: a client may close the pipe in good order and exit a moment later.
  const isClientThere = isAskedToEnd || wire.isParentThere()
  if (isClientThere) witness?.noteGoodOrder()
  for (const changes of opened) changes.close()
  await handle.close()
  // A signal that came before the pipe closed may be heard after it.
  await new Promise(setImmediate)
  await settle(connection, isAskedToEnd || isClientThere)

  function open(era: Era) {
    const changes = createChanges(connection, (uri) => void server.sendResourceUpdated({ uri }).catch(() => {}))
    opened.add(changes)
    wire.onListen((uris) => uris.forEach(changes.want))
    const onSettled = ({ mcpReq: { id } }: ServerContext, tell: (outcome: Outcome) => void) => wire.onSettled(id, tell)
    const server = createMcpServer({
      connection,
      era,
      onSettled,
      changes,
      hasChannel: hasChannel && era === 'legacy',
    })
    if (hasChannel && era === 'legacy') server.oninitialized = () => startChannel(server, connection, wire.gone)
    return server
  }
}

/** What `serveMcp` has opened for a connection. */
interface ConnectionParts {
  readonly agent: string
  readonly wire: Wire
  readonly witness: Witness | undefined
}

function createConnection(
  { postern, tools, places, sessionId, person, note }: ServeMcp,
  { agent, wire, witness }: ConnectionParts,
): Connection {
  const session = createHostSession({ postern, agent, id: sessionId, note })
  wire.onCall((meta) => session.hear(meta['sessionId'] ?? meta['threadId']))
  return {
    postern,
    identity: { caller: postern.caller, scope: ownScope(postern.caller) },
    agent,
    tools,
    places,
    person,
    put: new Set(),
    shown: createShown(postern.inbox, witness),
    sessionId: async () => (await session.find())?.id,
    gather: session.gather,
    nonce: () => randomToken(NONCE_CHARACTERS),
  }
}

/**
 * A client that ends its server in good order asks it to end, or closes its end of the pipe and is still there; it has read
 * what was sent. One that was killed does neither: then what it was shown last is shown again.
 */
async function settle({ shown }: Connection, isInGoodOrder: boolean): Promise<void> {
  if (isInGoodOrder) await shown.confirm(ENDINGS.inGoodOrder)
  else await shown.release(ENDINGS.gone)
}
