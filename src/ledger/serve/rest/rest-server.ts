import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { listenOn } from '../../../kit/node/listen-on.ts'
import { reasonOf } from '../../../kit/pure/reason-of.ts'
import type { InFlightCalls } from '../in-flight.ts'
import type { ServeContext } from '../serve-context.ts'
import { RestError } from './errors.ts'
import { respond } from './respond.ts'

/** The mirror's REST interface: it only reads. */
export interface RestServer {
  /** The port: another one where 0 was asked for. */
  listen(port: number, host: string): Promise<number>
  close(): Promise<void>
}

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const
const MAX_CONNECTIONS = 256

/** A browser that was led here under another name must not read what it finds. */
const OWN_NAMES = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

export function createRestServer(context: ServeContext, inFlight: Pick<InFlightCalls, 'run'>): RestServer {
  const server = createServer(LIMITS, (request, response) => void inFlight.run(answer(context, request, response)))
  server.maxConnections = MAX_CONNECTIONS
  return { listen: (port, host) => listenOn(server, port, host), close: () => close(server) }
}

async function answer(context: ServeContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    check(request)
    const url = new URL(request.url ?? '/', 'http://localhost')
    write(response, 200, await respond(context, url))
  } catch (error) {
    const { status, message } = refusalOf(context, error)
    write(response, status, { _status: { messages: [{ message }] } })
  }
}

function check({ method, headers }: IncomingMessage): void {
  if (!OWN_NAMES.test(headers.host ?? '')) throw new RestError(403, 'This host is not served here')
  if (method !== 'GET' && method !== 'HEAD') throw new RestError(405, 'A mirror is only read')
}

function refusalOf({ note }: ServeContext, error: unknown): RestError {
  if (error instanceof RestError) return error
  if (error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_URL')
    return new RestError(400, 'Invalid URL')
  note('ledger.serve.failed', { error: reasonOf(error) })
  return new RestError(500, 'Internal error')
}

function write(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-postern-ledger': 'local; no public consensus',
  })
  response.end(text)
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve()
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
