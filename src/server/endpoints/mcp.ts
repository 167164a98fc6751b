import type { Socket } from 'node:net'
import type { McpDoor, McpRequest } from '../../mcp/mcp-http.ts'
import type { Outcome } from '../../mcp/tools/tool-call.ts'
import type { Postern } from '../../model/postern.ts'
import type { Asking, Reply } from '../exchange.ts'
import { type Guard, requireStillGood } from '../request/authenticate.ts'
import { BODY_BYTES, readText } from '../request/body.ts'
import { SECURITY_HEADERS } from '../send.ts'
import type { Endpoint } from './endpoint.ts'

export interface McpEndpoints {
  readonly endpoints: readonly Endpoint[]
  close(): Promise<void>
}

export interface McpOptions extends Guard {
  readonly postern: Postern
}

const PATH = '/mcp'
const STREAM = 'text/event-stream'

/** Headers that say which request this is; whose it is the token has said already. */
const HANDED_ON = ['accept', 'content-type', 'last-event-id'] as const
const HANDED_BACK: readonly string[] = ['allow', 'content-type']

/** MCP over HTTP. What it takes is loaded with the first request, so that a server which nobody asks starts no later. */
export function mcpEndpoints(options: McpOptions): McpEndpoints {
  let door: Promise<McpDoor> | undefined
  const open = () => {
    door ??= openDoor(options)
    return door
  }
  const answer = (asking: Asking) => respond(asking, open, options)
  return {
    endpoints: ['POST', 'GET', 'DELETE'].map((method) => ({
      route: `${method} ${PATH}`,
      name: 'mcp',
      isOpen: false,
      answer,
    })),
    async close() {
      await (await door)?.close()
    },
  }
}

async function openDoor({ postern, log }: McpOptions): Promise<McpDoor> {
  const { createMcpDoor } = await import('../../mcp/mcp-http.ts')
  const note = (error: Error) => log.note('mcp.refused', { reason: error.message })
  return createMcpDoor({ postern, note })
}

async function respond(asking: Asking, open: () => Promise<McpDoor>, options: McpOptions): Promise<Reply | undefined> {
  const { request, response, method, identity, gone } = asking
  const body = await readText(request, response, BODY_BYTES)
  // Whoever asks for more on the same connection has read what came before.
  unread.delete(request.socket)
  const hearers: ((outcome: Outcome) => void)[] = []
  const loseAll = () => {
    for (const tell of hearers) tell('lost')
  }
  const tellAll = (wasSent: boolean) => {
    for (const tell of hearers) tell(wasSent ? 'sent' : 'unsent')
    if (wasSent && hearers.length > 0) noteUnread(request.socket, loseAll)
  }
  try {
    const answered = await (await open()).answer({
      method: request.method ?? method,
      headers: headersOf(request),
      body,
      tools: asking.query.get('tools') ?? 'core',
      caller: identity.caller,
      tokenId: identity.tokenId,
      signal: gone(),
      onSettled: (tell) => void hearers.push(tell),
    })
    await requireStillGood(options, request)
    if (isStream(answered))
      return await stream(asking, answered, { tellAll, check: () => requireStillGood(options, request) })
    return {
      status: answered.status,
      body: await answered.text(),
      headers: headersFrom(answered),
      onSettled: tellAll,
    }
  } catch (error) {
    tellAll(false)
    throw error
  }
}

/** What becomes of answers that have gone out, by connections that may still break under them. */
const unread = new WeakMap<Socket, () => void>()
const watched = new WeakSet<Socket>()

/** A client that dies with an answer unread resets its connection. */
function noteUnread(socket: Socket, lose: () => void): void {
  unread.set(socket, lose)
  if (watched.has(socket)) return
  watched.add(socket)
  socket.once('close', (hadError) => {
    if (hadError) unread.get(socket)?.()
  })
}

function headersOf({ headers }: Asking['request']): McpRequest['headers'] {
  const protocol = Object.keys(headers).filter((name) => name.startsWith('mcp-'))
  const named = [...HANDED_ON, ...protocol].map((name): [string, unknown] => [name, headers[name]])
  return Object.fromEntries(named.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

function headersFrom({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => HANDED_BACK.includes(name) || name.startsWith('mcp-')))
}

function isStream({ headers }: Response): boolean {
  return (headers.get('content-type') ?? '').startsWith(STREAM)
}

interface Passage {
  readonly tellAll: (wasSent: boolean) => void
  /** Fails where the token is not good any more. */
  check(): Promise<void>
}

/** How long a token that was revoked may still be listened with. */
const CHECK_MS = 2_000

/** Hands a stream on as it comes, no faster than its reader takes it, until either side ends it. */
async function stream(asking: Asking, answered: Response, { tellAll, check }: Passage): Promise<undefined> {
  const { request, response, requestId } = asking
  response.writeHead(answered.status, { 'x-request-id': requestId, ...SECURITY_HEADERS, ...headersFrom(answered) })
  response.flushHeaders()
  const reader = (answered.body ?? new ReadableStream()).getReader()
  response.once('close', () => void reader.cancel().catch(() => {}))
  const checking = setInterval(() => void check().catch(() => response.destroy()), CHECK_MS)
  let isWhole = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || response.destroyed) break
      if (!response.write(value)) await drained(response)
    }
    isWhole = !response.destroyed && !request.socket.destroyed
  } finally {
    clearInterval(checking)
    response.end(() => tellAll(isWhole && !request.socket.destroyed))
    if (!isWhole) tellAll(false)
  }
  return undefined
}

function drained(response: Asking['response']): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}
