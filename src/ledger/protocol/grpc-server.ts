import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { listenOn } from '../../kit/node/listen-on.ts'
import { startOf } from '../../kit/pure/cut.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { ProtocolError } from './bytes.ts'
import { createFrameReader, frame, GRPC, GrpcError } from './grpc-frames.ts'
import type { MessageType } from './message.ts'

/** What a server does with calls, by their paths; a path that nobody answers is UNIMPLEMENTED. */
export interface GrpcHandlers {
  readonly unary?: Readonly<Record<string, UnaryHandler>>
  readonly stream?: Readonly<Record<string, StreamHandler>>
}

/** Throw a GrpcError to say how it went; a ProtocolError is the fault of who asks. */
export type UnaryHandler = (request: Uint8Array) => Promise<Uint8Array>

/** The stream ends well when the handler is done. `send` resolves once there is room for more. */
export type StreamHandler = (request: Uint8Array, answer: StreamAnswer<Uint8Array>) => Promise<void>

export interface StreamAnswer<T> {
  send(message: T): Promise<void>
  /** Aborted as soon as nobody listens any longer. */
  readonly signal: AbortSignal
}

export interface GrpcServer {
  /** The port: another one where 0 was asked for. */
  listen(port: number, host: string): Promise<number>
  /** Ends all that is under way. Safe to call twice. */
  close(): Promise<void>
}

/** Nobody keeps it busy by being many, slow or endless. */
const LIMITS = { maxSessionMemory: 4, settings: { maxConcurrentStreams: 128, maxHeaderListSize: 16 * 1024 } } as const
const MAX_CONNECTIONS = 256
/** A transaction has 6 KiB, and a question may carry one that pays for it. */
const REQUEST_BYTES = 64 * 1024
/** Until a call has come whole; an answer may take as long as it likes. */
const REQUEST_MS = 10_000

/** Answers calls of gRPC in the clear, as Hedera's clients make them on the ports of nodes. */
export function createGrpcServer({ unary = {}, stream = {} }: GrpcHandlers): GrpcServer {
  const server = createServer(LIMITS)
  server.maxConnections = MAX_CONNECTIONS
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {})
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (incoming, headers) => {
    const path = headers[':path'] ?? ''
    incoming.on('error', () => {})
    const answerOne = Object.hasOwn(unary, path) ? unary[path] : undefined
    const answerMany = Object.hasOwn(stream, path) ? stream[path] : undefined
    const handle: StreamHandler =
      answerMany ??
      (async (request, answer) => {
        if (!answerOne) throw new GrpcError(GRPC.UNIMPLEMENTED, `there is no ${path}`)
        await answer.send(await answerOne(request))
      })
    void serveCall(incoming, handle)
  })

  return {
    listen: (port, host) => listenOn(server, port, host),
    close: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve()
        // First, for the server itself would say goodbye and wait for an answer, which may never come.
        for (const session of sessions) session.destroy()
        server.close(() => resolve())
      }),
  }
}

/** Reads and writes a unary call as messages. */
export function answering<Request, Answer>(
  request: MessageType<Request, never>,
  answer: MessageType<unknown, Answer>,
  handle: (request: Request) => Promise<Answer>,
): UnaryHandler {
  return async (bytes) => answer.encode(await handle(request.decode(bytes)))
}

/** The same for a call that is answered by many. */
export function streaming<Request, Answer>(
  request: MessageType<Request, never>,
  answer: MessageType<unknown, Answer>,
  handle: (request: Request, answer: StreamAnswer<Answer>) => Promise<void>,
): StreamHandler {
  return (bytes, { send, signal }) =>
    handle(request.decode(bytes), { send: (message) => send(answer.encode(message)), signal })
}

async function serveCall(stream: ServerHttp2Stream, handle: StreamHandler): Promise<void> {
  const ended = new AbortController()
  stream.on('close', () => ended.abort())
  let trailers = trailersOf(GRPC.OK, '')
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  try {
    const request = await inTime(stream, readRequest(stream))
    if (stream.destroyed) return
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    await handle(request, { send: (message) => send(stream, message), signal: ended.signal })
  } catch (error) {
    trailers = trailersOf(statusOf(error), reasonOf(error))
  }
  if (stream.destroyed) return
  if (!stream.headersSent)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.end()
  if (stream.readableEnded) return
  // What still comes is of no use, but it has to be taken before the stream can end.
  stream.resume()
  await inTime(stream, new Promise((resolve) => stream.on('close', resolve)))
}

/** Ends a stream on which it takes too long. */
async function inTime<T>(stream: ServerHttp2Stream, outcome: Promise<T>): Promise<T> {
  const timer = setTimeout(() => stream.destroy(), REQUEST_MS)
  try {
    return await outcome
  } finally {
    clearTimeout(timer)
  }
}

async function readRequest(stream: ServerHttp2Stream): Promise<Uint8Array> {
  const frames = createFrameReader(REQUEST_BYTES)
  const messages: Uint8Array[] = []
  // Whoever has sent nonsense is still told so, over the same stream.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    messages.push(...frames.push(chunk as Uint8Array))
    if (messages.length > 1) break
  }
  const [request, ...more] = messages
  if (!request || more.length > 0 || !frames.isClean) throw new ProtocolError('a call has exactly one message')
  return request
}

async function send(stream: ServerHttp2Stream, message: Uint8Array): Promise<void> {
  if (stream.destroyed) throw new GrpcError(GRPC.CANCELLED, 'nobody listens any longer')
  if (stream.write(frame(message))) return
  await new Promise<void>((resolve) => {
    const done = () => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.on('drain', done)
    stream.on('close', done)
  })
}

function statusOf(error: unknown): number {
  if (error instanceof GrpcError) return error.status
  return error instanceof ProtocolError ? GRPC.INVALID_ARGUMENT : GRPC.INTERNAL
}

/** A header carries only what can be printed. */
function trailersOf(status: number, message: string) {
  return { 'grpc-status': String(status), 'grpc-message': encodeURIComponent(startOf(message.toWellFormed(), 500)) }
}
