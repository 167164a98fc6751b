import {
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { VERSION } from '../model/version.ts'
import { describeTool } from '../operations/tools/described.ts'
import { LINE, neutralise } from '../render/neutralise.ts'
import { asSeenBy, type Connection } from './connection.ts'
import { instructionsFor } from './instructions.ts'
import { PROMPTS } from './prompts.ts'
import type { Changes } from './resources/changes.ts'
import { listResources, readResource } from './resources/read.ts'
import { parseUri, TEMPLATES } from './resources/uri.ts'
import { callTool } from './tools/call-tool.ts'
import type { Outcome } from './tools/tool-call.ts'

export type Era = 'legacy' | 'modern'

/** What a server of one connection, or of one request, is made of. */
export interface Wiring {
  readonly connection: Connection
  readonly era: Era
  /** Tells what becomes of the answer to this request. */
  onSettled(ctx: ServerContext, tell: (outcome: Outcome) => void): void
  /** Given when its client has cancelled it, where that does not come by the request's own signal. */
  cancelled?(ctx: ServerContext): AbortSignal | undefined
  /** Where resources are followed on the connection itself, as older revisions have it. */
  readonly changes?: Changes
  /** Whether the client may be woken by a channel of Claude Code. */
  readonly hasChannel?: boolean
}

/** How long what was listed may be kept: it does not change while a server lives. */
const LISTED = { ttlMs: 3_600_000, cacheScope: 'private' } as const

/** So much of an address that there is not is said back. */
const MAX_URI = 200

/** Offers tools, resources and prompts to one agent, in either era of the protocol. */
export function createMcpServer(wiring: Wiring): Server {
  const { connection, era, changes, hasChannel = false } = wiring
  const canFollow = era === 'modern' || changes !== undefined
  const server = new Server(
    { name: 'postern', title: 'Postern', version: VERSION },
    {
      instructions: instructionsFor(connection.agent),
      capabilities: {
        tools: {},
        prompts: {},
        resources: canFollow ? { subscribe: true } : {},
        ...(hasChannel && { experimental: { 'claude/channel': {} } }),
      },
      cacheHints: { 'tools/list': LISTED, 'prompts/list': LISTED, 'resources/templates/list': LISTED },
    },
  )
  serveTools(server, wiring)
  serveResources(server, connection)
  servePrompts(server)
  if (era === 'legacy' && changes) serveSubscriptions(server, changes)
  return server
}

function serveTools(server: Server, wiring: Wiring): void {
  const { connection } = wiring
  // A JSON Schema that we have made is JSON, which its type does not say.
  const tools = connection.tools.map(describeTool) as unknown as ListToolsResult['tools']
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', ({ params }, ctx) => {
    const tool = connection.tools.find(({ name }) => name === params.name)
    if (!tool) throw invalidParams(`There is no tool ${neutralise(params.name.slice(0, 100), LINE)}.`)
    return callTool({ server, wiring, ctx, tool, given: params.arguments ?? {} })
  })
}

function serveResources(server: Server, connection: Connection): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: [...(await said(connection, listResources(connection)))],
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: TEMPLATES.map((each) => ({ ...each })),
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const place = parseUri(uri)
    if (!place) throw notFound(uri)
    return { contents: [{ uri, ...(await said(connection, readResource(connection, place))) }] }
  })
}

/** Older revisions ask on the connection; newer ones open a stream, which whoever carries the connection serves. */
function serveSubscriptions(server: Server, changes: Changes): void {
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (!parseUri(uri)) throw notFound(uri)
    if (!changes.want(uri)) throw invalidParams('No further bus can be followed on this connection: let go of another.')
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    changes.unwant(uri)
    return {}
  })
}

function servePrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ name, title, description }) => ({ name, title, description })),
  }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name)
    if (!prompt) throw invalidParams(`There is no prompt ${neutralise(params.name.slice(0, 100), LINE)}.`)
    const { description, text } = prompt
    return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

/** The address is the client's word, and is said back. */
function notFound(uri: string): ResourceNotFoundError {
  return new ResourceNotFoundError(neutralise(uri.slice(0, MAX_URI), LINE))
}

/** What is refused is said in our words, and never with a stack. */
async function said<T>(connection: Connection, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const { message, next, code } = asSeenBy(connection, error)
    throw invalidParams(`${neutralise(message, LINE)} ${neutralise(next, LINE)} [${code}]`)
  }
}
