import { execFileSync } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'

/**
 * Runs in a network namespace of its own, which has nothing but a loopback interface. A socket belongs for ever to the
 * namespace it was made in: so this process makes the listening ones and hands them to the tests, which stay outside.
 */
execFileSync('ip', ['link', 'set', 'lo', 'up'])

process.on('message', () => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.send?.({ port }, server, undefined, () => server.close())
  })
})
// The channel is all that keeps it alive: the namespace goes with the tests, however they end.
process.send?.('ready')
