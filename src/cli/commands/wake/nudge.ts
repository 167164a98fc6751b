import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NUDGE_PATH } from '../../../courier/nudge-address.ts'

const ADDRESS = '127.0.0.1'
const TIMEOUT_MS = 5_000
const MAX_CONNECTIONS = 32

export interface NudgeDoor {
  readonly port: number
  close(): void
}

/**
 * Listens for nudges on loopback. Whoever knows the token may say that there is something to look at, and nothing else:
 * no body is read and nothing is told.
 */
export async function openNudgeDoor(port: number, token: string, onNudge: () => void): Promise<NudgeDoor> {
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer((request, response) => {
    const status = judge(request, token)
    if (status === NO_CONTENT) onNudge()
    // What may follow as a body is left unread.
    response.writeHead(status, { connection: 'close', ...(status === 405 && { allow: 'POST' }) }).end()
  })
  server.maxConnections = MAX_CONNECTIONS
  server.requestTimeout = TIMEOUT_MS
  server.headersTimeout = TIMEOUT_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, ADDRESS, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const NO_CONTENT = 204

/** A page that a browser was lured to cannot send the token, nor an address of our own as its Host. */
function judge({ url, method, headers, socket }: IncomingMessage, token: string): number {
  const hosts = [ADDRESS, 'localhost'].map((name) => `${name}:${socket.localPort}`)
  if (!hosts.includes(headers.host ?? '') || headers.origin !== undefined) return 403
  if (!isToken(headers.authorization, token)) return 401
  if (url !== NUDGE_PATH) return 404
  return method === 'POST' ? NO_CONTENT : 405
}

/** Takes the same time for every guess. */
function isToken(authorization: string | undefined, token: string): boolean {
  const { createHash, timingSafeEqual } = process.getBuiltinModule('node:crypto')
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))
}

/** Remembers a nudge until somebody asks for the next one. */
export function createNudges(): { ring(): void; next(): AbortSignal } {
  let current = new AbortController()
  return {
    ring: () => current.abort(),
    next() {
      const { signal } = current
      if (signal.aborted) current = new AbortController()
      return signal
    },
  }
}
