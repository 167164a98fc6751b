import { once } from 'node:events'
import { connect } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { frame, GRPC } from './grpc-frames.ts'
import { answering, createGrpcServer } from './grpc-server.ts'
import { message, text } from './message.ts'

const Word = message({ text: text(1) })

async function serve(): Promise<number> {
  const echo = answering(Word, Word, async ({ text: said }) => ({ text: `${said}!` }))
  const server = createGrpcServer({ unary: { '/test/echo': echo } })
  onTestFinished(() => server.close())
  return await server.listen(0, '127.0.0.1')
}

describe('a server', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a message that was cut', frame(Word.encode({ text: 'ping' })).subarray(0, 7)],
    ['two messages', Buffer.concat([frame(new Uint8Array()), frame(new Uint8Array())])],
    ['a compressed message', Buffer.from('0100000000', 'hex')],
    ['a message of 4 GB', Buffer.from('00ffffffff', 'hex')],
    ['a message that is none', frame(Uint8Array.of(0xff, 0xff))],
  ])('refuses %s and goes on', async (_, sent) => {
    const port = await serve()
    expect(await statusOf(port, sent)).toBe(String(GRPC.INVALID_ARGUMENT))
    expect(await statusOf(port, frame(Word.encode({ text: 'ping' })))).toBe(String(GRPC.OK))
  })

  it('ends though somebody is connected who never says anything, not even goodbye', async () => {
    const server = createGrpcServer({})
    const socket = connectSocket(await server.listen(0, '127.0.0.1'), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    // The server has said hello, so it knows of the connection. Nobody reads on.
    await once(socket, 'readable')
    await server.close()
  })
})

function statusOf(port: number, sent: Buffer): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://127.0.0.1:${port}`)
    onTestFinished(() => session.destroy())
    const stream = session.request({ ':method': 'POST', ':path': '/test/echo', 'content-type': 'application/grpc' })
    stream.on('trailers', (trailers) => resolve(trailers['grpc-status']))
    stream.on('error', reject)
    stream.resume()
    stream.end(sent)
  })
}
