import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { ownScope } from '../../src/mcp/connection.ts'
import { createMcpServer } from '../../src/mcp/mcp-server.ts'
import { createChanges } from '../../src/mcp/resources/changes.ts'
import { createShown } from '../../src/mcp/shown.ts'
import type { Postern } from '../../src/model/postern.ts'
import { createSignal } from '../helpers/signal.ts'

/** A client and a server of the older revision in this process, for tests that must hold the server at one step. */
export async function connectInMemory(postern: Postern) {
  const told = createSignal<string>()
  const connection = {
    postern,
    identity: { caller: postern.caller, scope: ownScope(postern.caller) },
    agent: 'quinn',
    tools: [],
    places: {},
    person: undefined,
    put: new Set<string>(),
    shown: createShown(postern.inbox),
    sessionId: async () => undefined,
    gather: async () => {},
    nonce: () => 'nonce',
  }
  const changes = createChanges(connection, (uri) => void server.sendResourceUpdated({ uri }))
  const server = createMcpServer({ connection, era: 'legacy', changes, onSettled: () => {} })
  const client = new Client({ name: 'official', version: '1' })
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => told.fire(params.uri))
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(ours)
  await client.connect(theirs)
  onTestFinished(async () => {
    changes.close()
    await client.close()
  })
  return { client, told }
}
