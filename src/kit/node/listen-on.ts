import type { AddressInfo, Server } from 'node:net'

/** Begins to listen and resolves with the port, or rejects with the reason why it cannot. Later errors end nothing. */
export function listenOn(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      server.on('error', () => {})
      resolve((server.address() as AddressInfo).port)
    })
  })
}
