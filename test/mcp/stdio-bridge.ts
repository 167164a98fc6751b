import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { standIn } from './stand-ins.ts'
import type { Revision } from './suite.ts'
import { type Bridge, close, listen } from './token-proxy.ts'

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON-RPC carries
type Message = any

export interface StdioCommand {
  /** What the suite speaks. */
  readonly revision: Revision
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/**
 * A way to `postern mcp` for the suite, which speaks only HTTP: every message goes to stdin as it came, and every answer
 * comes back from stdout as it is. What it says about HTTP itself (status codes, headers, sessions) is of this bridge and
 * says nothing of us; those checks are left out. A pipe has one revision, by its first message: a handshake of the older
 * ones begins a process of its own, and for the newer one the bridge itself asks first, as every client does.
 */
export async function startStdioBridge(command: StdioCommand): Promise<Bridge> {
  let program = startProgram(command)
  const bridge = createServer(async (incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(405).end()
    const message = standIn((await json(incoming)) as Message)
    if (message.method === 'initialize' && message.params?._meta?.[VERSION_KEY] === undefined) {
      program.stop()
      program = startProgram(command)
    }
    program.send(message, response)
  })
  return {
    url: await listen(bridge),
    close() {
      program.stop()
      close(bridge)
    },
  }
}

function startProgram({ revision, args, env, cwd }: StdioCommand) {
  const child: ChildProcess = spawn(process.execPath, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<unknown, ServerResponse>()
  createInterface({ input: child.stdout! }).on('line', (line) => hand(JSON.parse(line), waiting))
  if (revision === '2026-07-28') write(opening(revision))
  return {
    send(message: Message, response: ServerResponse) {
      if (message.id === undefined || message.method === undefined) response.writeHead(202).end()
      else waiting.set(message.id, response)
      if (message.method === 'subscriptions/listen') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        response.on('close', () => write(cancelled(message.id)))
      }
      write(message)
    },
    stop: () => child.stdin!.end(),
  }

  function write(message: Message): void {
    if (child.stdin!.writable) child.stdin!.write(`${JSON.stringify(message)}\n`)
  }
}

/** Any request of the newer revision but `server/discover`, which may come from a client that then falls back. */
function opening(revision: Revision): Message {
  const _meta = { [VERSION_KEY]: revision, [CAPABILITIES_KEY]: {} }
  return { jsonrpc: '2.0', id: 'of the bridge', method: 'tools/list', params: { _meta } }
}

function cancelled(requestId: unknown): Message {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
}

/** An answer ends the response that waits for it; what is told on a subscription goes to its stream. */
function hand(message: Message, waiting: Map<unknown, ServerResponse>): void {
  const id = message.method === undefined ? message.id : message.params?._meta?.[SUBSCRIPTION_KEY]
  const response = waiting.get(id)
  if (!response) return
  if (response.headersSent) response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
  if (message.method !== undefined) return
  waiting.delete(id)
  if (!response.writableEnded) response.end()
}
