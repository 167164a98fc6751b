import { chmodSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { PosternError } from '../model/errors.ts'
import { createPipelining, type Handle } from './pipelining.ts'
import { PROBLEM_TYPE, problemOf } from './problem.ts'

/** An HTTP server that nobody can keep busy by being slow, many or endless. */
export interface Listener {
  listen(host: string, port: number): Promise<AddressInfo>
  /** On a UNIX socket that only its owner can open. */
  listenOnSocket(path: string): Promise<void>
  readonly connections: () => Promise<number>
  /** Takes no more; resolves when what is under way has ended, or has been cut off after a while. */
  close(patienceMs: number): Promise<void>
}

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  /** Until a request has come whole; an answer may take longer. */
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
} as const

const MAX_CONNECTIONS = 1_024
const IDLE_CHECK_MS = 100

/** Longer than any request may wait. Whoever takes so long to read an answer does not read it. */
const SILENCE_MS = 150_000

export function createListener(handle: Handle, note: (error: Error) => void): Listener {
  const pipelining = createPipelining(handle)
  const server = createServer(LIMITS, pipelining.take)
  server.maxConnections = MAX_CONNECTIONS
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.timeout = SILENCE_MS
  // Whoever asks before sending is told to go on when its body is wanted.
  server.on('checkContinue', pipelining.take)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (pipelining.isAnswering(socket)) socket.destroy()
    else refuseConnection(error, socket)
  })
  // Such as no descriptor being left for another connection.
  server.on('error', (error) => server.listening && note(error))

  return {
    listen: async (host, port) => {
      await listening(server, { host, port }, `${host}:${port}`)
      return server.address() as AddressInfo
    },
    async listenOnSocket(path) {
      await listening(server, { path }, path)
      chmodSync(path, 0o600)
    },
    connections: () => new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count))),
    async close(patienceMs) {
      if (!server.listening) return
      pipelining.end()
      await close(server, sockets, patienceMs)
    },
  }
}

function listening(
  server: Server,
  where: { host: string; port: number } | { path: string },
  shown: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(refusalOf(error, shown))
    server.once('error', fail)
    server.listen(where, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function refusalOf(error: NodeJS.ErrnoException, address: string): PosternError {
  if (error.code === 'EADDRINUSE') return new PosternError('ADDRESS_IN_USE', { address }, { cause: error })
  const next = `It cannot be listened on here (${error.code}); choose another.`
  return new PosternError('VALUE_INVALID', { field: 'address', value: address, next }, { cause: error })
}

/**
 * Node would at once close every connection that seems to rest, also those whose next request has come and is not yet
 * read. So only the door is closed at first, and what rests is closed after a look at what has come. For Node a connection
 * that has never sent anything is not idle, and clients such as `fetch` open one ahead of their next request.
 */
function close(server: Server, sockets: ReadonlySet<Socket>, patienceMs: number): Promise<void> {
  const closeIdle = () => {
    server.closeIdleConnections()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  return new Promise((resolve) => {
    const idle = setInterval(() => setImmediate(closeIdle), IDLE_CHECK_MS)
    const timer = setTimeout(() => server.closeAllConnections(), patienceMs)
    NetServer.prototype.close.call(server, () => {
      clearTimeout(timer)
      clearInterval(idle)
      // Ends what the server does from time to time.
      server.close()
      resolve()
    })
  })
}

const STATUS_TEXT: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What is no request gets the shortest answer there is, if it can be answered at all. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  const status = STATUS_TEXT[error.code ?? ''] ?? '400 Bad Request'
  const reason = status.slice(4).toLowerCase()
  const problem = problemOf(new PosternError('REQUEST_INVALID', { reason: `it is no request of HTTP (${reason})` }), '')
  const body = JSON.stringify({ ...problem, status: Number(status.slice(0, 3)) })
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
