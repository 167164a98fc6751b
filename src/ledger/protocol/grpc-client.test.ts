import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { DEAD_MACHINE_MS } from '../../../test/helpers/patience.ts'
import { ProtocolError } from './bytes.ts'
import { createGrpcChannel, type GrpcChannel } from './grpc-client.ts'
import { frame, GRPC, GrpcError } from './grpc-frames.ts'
import { answering, createGrpcServer, type GrpcHandlers, streaming } from './grpc-server.ts'
import { int32, message, text } from './message.ts'

const Word = message({ text: text(1), count: int32(2) })
const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serve(handlers: GrpcHandlers): Promise<number> {
  const server = createGrpcServer(handlers)
  closing.push(() => server.close())
  return await server.listen(0, '127.0.0.1')
}

function channelTo(port: number, pulseMs?: number): GrpcChannel {
  const channel = createGrpcChannel(`127.0.0.1:${port}`, pulseMs === undefined ? {} : { pulseMs })
  closing.push(() => channel.close())
  return channel
}

function call(path: string, timeoutMs = DEAD_MACHINE_MS) {
  return { path, request: Word, answer: Word, message: { text: 'ping', count: 3 }, timeoutMs }
}

const echo = answering(Word, Word, async ({ text: said }) => ({ text: `${said}!` }))

describe('a call', () => {
  it('is answered', async () => {
    const channel = channelTo(await serve({ unary: { '/test/echo': echo } }))
    const answers = await Promise.all(Array.from({ length: 20 }, () => channel.callUnary(call('/test/echo'))))
    expect(new Set(answers.map((answer) => answer.text))).toEqual(new Set(['ping!']))
  })

  it.each([
    ['as the handler says', new GrpcError(GRPC.RESOURCE_EXHAUSTED, 'zu viel, 100 % 🚪'), 8, 'zu viel, 100 % 🚪'],
    ['as the fault of who asks', new ProtocolError('nonsense'), GRPC.INVALID_ARGUMENT, 'nonsense'],
    ['as the fault of the server', new Error('broken'), GRPC.INTERNAL, 'broken'],
  ])('fails %s', async (_, error, status, text) => {
    const fail = async () => {
      throw error
    }
    const channel = channelTo(await serve({ unary: { '/test/fail': fail } }))
    await expect(channel.callUnary(call('/test/fail'))).rejects.toMatchObject({ status, message: text })
  })

  it('fails where nobody answers it', async () => {
    const channel = channelTo(await serve({ unary: {} }))
    await expect(channel.callUnary(call('/test/other'))).rejects.toMatchObject({ status: GRPC.UNIMPLEMENTED })
    await expect(channel.callUnary(call('/constructor'))).rejects.toMatchObject({ status: GRPC.UNIMPLEMENTED })
  })

  it('fails where there is no server, and works once there is one', async () => {
    const first = createGrpcServer({ unary: { '/test/echo': echo } })
    const port = await first.listen(0, '127.0.0.1')
    await first.close()
    const channel = channelTo(port)
    await expect(channel.callUnary(call('/test/echo'))).rejects.toMatchObject({ status: GRPC.UNAVAILABLE })
    const second = createGrpcServer({ unary: { '/test/echo': echo } })
    closing.push(() => second.close())
    await second.listen(port, '127.0.0.1')
    await expect(channel.callUnary(call('/test/echo'))).resolves.toMatchObject({ text: 'ping!' })
  })

  it('is given up after its time', async () => {
    const never = () => new Promise<Uint8Array>(() => {})
    const channel = channelTo(await serve({ unary: { '/test/never': never } }))
    await expect(channel.callUnary(call('/test/never', 20))).rejects.toMatchObject({ status: GRPC.DEADLINE_EXCEEDED })
  })

  it('ends with the channel', async () => {
    const never = () => new Promise<Uint8Array>(() => {})
    const channel = channelTo(await serve({ unary: { '/test/never': never } }))
    const waiting = channel.callUnary(call('/test/never'))
    channel.close()
    channel.close()
    await expect(waiting).rejects.toBeInstanceOf(GrpcError)
    await expect(channel.callUnary(call('/test/never'))).rejects.toMatchObject({ status: GRPC.CANCELLED })
  })

  it('fails where the answer is no message', async () => {
    const channel = channelTo(await serve({ unary: { '/test/bad': async () => Uint8Array.of(0xff) } }))
    await expect(channel.callUnary(call('/test/bad'))).rejects.toMatchObject({ status: GRPC.INTERNAL })
  })

  it('fails where something else than gRPC answers', async () => {
    const channel = channelTo(await serveRaw((stream) => stream.respond({ ':status': 502 }, { endStream: true })))
    await expect(channel.callUnary(call('/test/echo'))).rejects.toMatchObject({ status: GRPC.UNAVAILABLE })
  })

  it.each([
    ['an empty status', frame(Word.encode({ text: 'pong' })), '', GRPC.UNAVAILABLE],
    ['a status that is none', frame(Word.encode({ text: 'pong' })), '0x0', GRPC.UNAVAILABLE],
    ['half a message behind the answer', Buffer.concat([frame(Word.encode({})), Buffer.alloc(2)]), '0', GRPC.INTERNAL],
  ])('fails where it is answered with %s', async (_, sent, code, status) => {
    const port = await serveRaw((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': code }))
      stream.end(sent)
    })
    await expect(channelTo(port).callUnary(call('/test/echo'))).rejects.toMatchObject({ status })
  })
})

/** Answers every call by whatever a test wants. */
async function serveRaw(answer: (stream: ServerHttp2Stream) => void): Promise<number> {
  const server = createHttp2Server().on('stream', answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

describe('a stream', () => {
  it('brings every message in order and ends', async () => {
    const count = streaming(Word, Word, async ({ count: most }, { send }) => {
      for (let number = 1; number <= most; number++) await send({ count: number })
    })
    const channel = channelTo(await serve({ stream: { '/test/count': count } }))
    const counts: number[] = []
    const end = await new Promise((resolve) => {
      const onMessage = (word: { readonly count: number }) => counts.push(word.count)
      channel.callServerStream({ ...call('/test/count'), message: { count: 2_000 }, onMessage, onEnd: resolve })
    })
    expect(end).toBeUndefined()
    expect(counts).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1))
  })

  it('tells both sides when it ends', async () => {
    const ended = Promise.withResolvers<void>()
    const first = Promise.withResolvers<void>()
    const wait = streaming(Word, Word, async (_, { send, signal }) => {
      await send({ text: 'begin' })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ended.resolve()
    })
    const channel = channelTo(await serve({ stream: { '/test/wait': wait } }))
    const onEnd = () => expect.unreachable('whoever closes is not told')
    const stream = channel.callServerStream({ ...call('/test/wait'), onMessage: () => first.resolve(), onEnd })
    await first.promise
    stream.close()
    await ended.promise
  })

  it('ends where the server does', async () => {
    const server = createGrpcServer({ stream: { '/test/wait': () => new Promise(() => {}) } })
    const channel = channelTo(await server.listen(0, '127.0.0.1'))
    const end = new Promise((resolve) =>
      channel.callServerStream({ ...call('/test/wait'), onMessage: () => {}, onEnd: resolve }),
    )
    await channel.callUnary(call('/test/other')).catch(() => {})
    await server.close()
    await server.close()
    expect(await end).toMatchObject({ status: GRPC.UNAVAILABLE })
  })

  it('ends where the server falls silent', async () => {
    const port = await serve({ stream: { '/test/wait': () => new Promise(() => {}) } })
    const proxy = await startProxy(port)
    const channel = channelTo(proxy.port, 30)
    const end = new Promise((resolve) =>
      channel.callServerStream({ ...call('/test/wait'), onMessage: () => {}, onEnd: resolve }),
    )
    await channel.callUnary(call('/test/other')).catch(() => {})
    proxy.freeze()
    expect(await end).toMatchObject({ status: GRPC.UNAVAILABLE })
  })
})

/** Passes everything on until it is frozen; then the connection stays, and nothing comes through. */
async function startProxy(port: number): Promise<{ readonly port: number; freeze(): void }> {
  const { connect } = await import('node:net')
  let isFrozen = false
  const sockets = new Set<Socket>()
  const server: Server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('data', (data) => isFrozen || to.write(data))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true
    },
  }
}
