import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Stands between clients and a server on loopback, and can cut them off. */
export interface Valve {
  /** The server's URL, through the valve. */
  readonly url: string
  /** Ends every connection and refuses new ones, as a server does that was killed. */
  refuse(): Promise<void>
  /** Ends every connection, takes new ones and never answers. */
  mute(): Promise<void>
  open(): Promise<void>
}

export async function startValve(url: string): Promise<Valve> {
  const { port: serverPort, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  let server: Server | undefined

  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const passOn = (client: Socket) => {
    const outward = keep(connect(Number(serverPort), hostname))
    keep(client).pipe(outward).pipe(client)
  }
  const listen = async (port: number, onConnection: (client: Socket) => void): Promise<number> => {
    server = createServer(onConnection).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const refuse = async (): Promise<void> => {
    const closed = server?.listening ? once(server.close(), 'close') : undefined
    for (const socket of sockets) socket.destroy()
    await closed
  }

  const port = await listen(0, passOn)
  onTestFinished(refuse)
  return {
    url: url.replace(`:${serverPort}/`, `:${port}/`),
    refuse,
    async mute() {
      await refuse()
      await listen(port, keep)
    },
    async open() {
      await refuse()
      await listen(port, passOn)
    },
  }
}
