import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a NATS server on which acknowledgements are held up. */
export interface AckCutter {
  readonly url: string
  /** Calls back before the first acknowledgement would pass; nothing passes after it. */
  onFirstAck(call: () => void): void
}

export async function startAckCutter(natsPort: number): Promise<AckCutter> {
  const sockets = new Set<Socket>()
  let call = () => {}
  const server = createServer((client) => {
    const upstream = connect(natsPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => [client, upstream].map((each) => each.destroy()))
    }
    upstream.pipe(client)
    client.on('data', (chunk: Buffer) => {
      if (!chunk.includes('+ACK')) return void upstream.write(chunk)
      upstream.destroy()
      call()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onFirstAck(then) {
      call = then
    },
  }
}
