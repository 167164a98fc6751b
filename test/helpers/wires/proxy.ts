import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between a client and a server of this machine, and does to their connections what networks do. */
export interface NetworkProxy {
  readonly port: number
  /** Ends every connection, without a word of warning. New ones are let through. */
  cut(): void
  /** Lets nothing through any more that is open now, and says so to nobody. New connections are let through. */
  stall(): void
  close(): Promise<void>
}

export async function openProxy(serverPort: number): Promise<NetworkProxy> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1')
    keep(client)
    keep(upstream)
    forward(client, upstream)
    forward(upstream, client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    stall() {
      for (const socket of sockets) socket.pause()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** By hand rather than by `pipe`, which would wake up a socket that is to stand still. */
function forward(from: Socket, to: Socket): void {
  from.on('data', (chunk) => to.write(chunk))
  from.on('close', () => to.destroy())
}
