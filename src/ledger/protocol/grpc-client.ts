import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { ProtocolError } from './bytes.ts'
import { createFrameReader, frame, GRPC, GrpcError } from './grpc-frames.ts'
import type { MessageType } from './message.ts'

/** A call that is answered by one message. */
export interface UnaryCall<Request, Answer> {
  readonly path: string
  readonly request: MessageType<unknown, Request>
  readonly answer: MessageType<Answer, never>
  readonly message: Request
  readonly timeoutMs: number
}

export interface StreamCall<Request, Answer> extends Omit<UnaryCall<Request, Answer>, 'timeoutMs'> {
  readonly onMessage: (message: Answer) => void
  /** Once, for whatever reason but `close`; undefined where the server has ended it as it should. */
  readonly onEnd: (error: GrpcError | undefined) => void
}

/** A connection to one server, made when first needed and made anew after it broke. Alone it keeps no process alive. */
export interface GrpcChannel {
  /** Throws a GrpcError. */
  callUnary<Request, Answer>(call: UnaryCall<Request, Answer>): Promise<Answer>
  callServerStream<Request, Answer>(call: StreamCall<Request, Answer>): { close(): void }
  /** Ends all that is under way. Safe to call twice. */
  close(): void
}

/** Ports on which Hedera's servers speak only under TLS. */
const SECURE_PORTS = ['443', '50212']
/** A connection on which nothing is heard for so long is asked whether it lives, and has as long to answer. */
const PULSE_MS = 20_000

/** `host:port` */
export function createGrpcChannel(address: string, options: { readonly pulseMs?: number } = {}): GrpcChannel {
  let session: ClientHttp2Session | undefined
  let isClosed = false

  function connected(): ClientHttp2Session {
    if (isClosed) throw new GrpcError(GRPC.CANCELLED, 'the connection was closed')
    if (session && !session.closed && !session.destroyed) return session
    session = openSession(address, options.pulseMs ?? PULSE_MS)
    return session
  }

  return {
    callUnary: async (call) => unary(connected(), call),
    callServerStream(call) {
      return openCall(connected(), call, call.onMessage, call.onEnd)
    },
    close() {
      isClosed = true
      session?.destroy()
    },
  }
}

function openSession(address: string, pulseMs: number): ClientHttp2Session {
  const isSecure = SECURE_PORTS.includes(address.slice(address.lastIndexOf(':') + 1))
  const session = connect(`${isSecure ? 'https' : 'http'}://${address}`, { settings: { enablePush: false } })
  // Every call hears of it by itself.
  session.on('error', () => {})
  // A server that says goodbye answers what was asked; only new calls need another connection.
  session.on('goaway', () => session.close())
  session.unref()
  keepPulse(session, pulseMs)
  return session
}

/** A connection can die without a word, and then a stream on it waits for ever. */
function keepPulse(session: ClientHttp2Session, pulseMs: number): void {
  let isAnswered = true
  const timer = setInterval(() => {
    if (!isAnswered || session.connecting) {
      return session.destroy(new GrpcError(GRPC.UNAVAILABLE, 'the server does not answer'))
    }
    isAnswered = false
    session.ping((error) => {
      isAnswered = !error
    })
  }, pulseMs)
  timer.unref()
  session.on('close', () => clearInterval(timer))
}

function unary<Request, Answer>(session: ClientHttp2Session, call: UnaryCall<Request, Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answers: Answer[] = []
    const opened = openCall(
      session,
      call,
      (message) => {
        if (answers.length > 0) throw new ProtocolError('a call has exactly one answer')
        answers.push(message)
      },
      (error) => {
        clearTimeout(timer)
        const [answer] = answers
        if (error) reject(error)
        else if (answer === undefined) reject(new GrpcError(GRPC.UNKNOWN, 'the server gave no answer'))
        else resolve(answer)
      },
    )
    // Only while an answer is waited for is the process kept alive, and it is this that does so.
    const timer = setTimeout(() => {
      opened.close()
      reject(new GrpcError(GRPC.DEADLINE_EXCEEDED, `no answer within ${call.timeoutMs} ms`))
    }, call.timeoutMs)
  })
}

interface Progress {
  status: { readonly code: number; readonly message: string } | undefined
  error: GrpcError | undefined
  isOver: boolean
}

function openCall<Request, Answer>(
  session: ClientHttp2Session,
  call: Pick<UnaryCall<Request, Answer>, 'path' | 'request' | 'answer' | 'message'>,
  onMessage: (message: Answer) => void,
  onEnd: (error: GrpcError | undefined) => void,
): { close(): void } {
  const progress: Progress = { status: undefined, error: undefined, isOver: false }
  const stream = session.request({
    ':method': 'POST',
    ':path': call.path,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  followHeaders(stream, progress)
  readMessages(stream, progress, (bytes) => onMessage(call.answer.decode(bytes)))
  stream.on('error', (error) => {
    progress.error ??= new GrpcError(GRPC.UNAVAILABLE, reasonOf(error), { cause: error })
  })
  stream.on('close', () => {
    if (progress.isOver) return
    progress.isOver = true
    onEnd(endOf(progress))
  })
  stream.end(frame(call.request.encode(call.message)))
  return {
    close() {
      progress.isOver = true
      stream.destroy()
    },
  }
}

/** An empty one would count as 0, which means success. */
const STATUS = /^\d{1,3}$/

/** A server that fails at once tells so in its headers, else behind the last message. */
function followHeaders(stream: ClientHttp2Stream, progress: Progress): void {
  const look = (headers: Readonly<Record<string, unknown>>) => {
    const code = String(headers['grpc-status'])
    if (STATUS.test(code)) progress.status = { code: Number(code), message: messageOf(headers['grpc-message']) }
  }
  stream.on('response', (headers) => {
    look(headers)
    if (headers[':status'] !== 200) {
      progress.error ??= new GrpcError(GRPC.UNAVAILABLE, `the server answers with ${headers[':status']}`)
    }
  })
  stream.on('trailers', look)
}

function readMessages(stream: ClientHttp2Stream, progress: Progress, take: (bytes: Uint8Array) => void): void {
  const frames = createFrameReader()
  stream.on('data', (chunk: Uint8Array) => {
    if (progress.isOver || progress.error) return
    try {
      for (const bytes of frames.push(chunk)) if (!progress.isOver) take(bytes)
    } catch (cause) {
      if (!(cause instanceof ProtocolError)) throw cause
      progress.error = new GrpcError(GRPC.INTERNAL, cause.message, { cause })
      stream.destroy()
    }
  })
  stream.on('end', () => {
    if (!frames.isClean) progress.error ??= new GrpcError(GRPC.INTERNAL, 'the last message was cut')
  })
}

function endOf({ status, error }: Progress): GrpcError | undefined {
  if (error) return error
  if (!status) return new GrpcError(GRPC.UNAVAILABLE, 'the connection was cut')
  return status.code === GRPC.OK ? undefined : new GrpcError(status.code, status.message)
}

function messageOf(header: unknown): string {
  if (typeof header !== 'string') return ''
  try {
    return decodeURIComponent(header)
  } catch {
    return header
  }
}
