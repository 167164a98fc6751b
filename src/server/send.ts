import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange, Reply } from './exchange.ts'
import { hasBody } from './request/body.ts'

/** Nothing that we answer may be framed, guessed at, kept by others or run. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const LINGER_MS = 1_000
const LINGER_BYTES = 1024 * 1024

/** Writes a whole answer. All headers go at once: to set one before makes Node go through each of them twice. */
export function send({ request, response, requestId }: Exchange, reply: Reply): void {
  const { status, body = '', type, headers, onSettled } = reply
  if (onSettled) tellOutcome(request, response, onSettled)
  if (response.headersSent || response.destroyed) return
  const isCutShort = !request.complete && hasBody(request) && !willBeRead(request)
  const length = Buffer.byteLength(body)
  response.writeHead(status, {
    'x-request-id': requestId,
    ...SECURITY_HEADERS,
    ...(type !== undefined && { 'content-type': type }),
    ...(status !== 204 && status !== 304 && { 'content-length': length }),
    ...headers,
    ...(isCutShort && { connection: 'close' }),
  })
  if (isCutShort) linger(request, response, body)
  else response.end(body)
}

/** Node reads the rest of a request that was answered. It may while that is small, and certain to come. */
const IGNORED_BYTES = 64 * 1024

function willBeRead({ headers }: IncomingMessage): boolean {
  return headers.expect === undefined && Number(headers['content-length'] ?? Number.NaN) <= IGNORED_BYTES
}

/**
 * Whoever is still sending would lose the answer if the connection were closed at once. So the rest of what is nearly
 * done is thrown away, and whoever goes on for longer is left waiting for a moment, in which it can read the answer.
 */
function linger(request: IncomingMessage, response: ServerResponse, body: string | Uint8Array): void {
  if (request.method !== 'HEAD') response.write(body)
  let bytes = 0
  const timer = setTimeout(finish, LINGER_MS)
  function finish(): void {
    clearTimeout(timer)
    response.end()
  }
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > LINGER_BYTES) request.pause()
  })
  request.once('end', finish).once('close', finish).resume()
}

/** An answer is out when the system has taken all of it for a connection that is still there. */
function tellOutcome({ socket }: IncomingMessage, response: ServerResponse, tell: (wasSent: boolean) => void): void {
  let isTold = false
  const tellOnce = (wasSent: boolean) => {
    if (isTold) return
    isTold = true
    tell(wasSent)
  }
  if (response.destroyed || socket.destroyed) tellOnce(false)
  else response.once('finish', () => tellOnce(!socket.destroyed)).once('close', () => tellOnce(false))
}
