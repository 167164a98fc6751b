import { findBinary } from './binaries.ts'
import { startOnFreePort, startServer } from './servers.ts'
import { makeTemporaryFolder, removeFolder } from './temp.ts'

export interface RedisServer {
  readonly url: string
  /** Ends it and removes its data. Safe to call twice. */
  stop(): Promise<void>
}

/** Starts a private Redis that keeps nothing. Undefined where there is none and it cannot be installed. */
export async function startRedis(): Promise<RedisServer | undefined> {
  const command = findBinary({ name: 'redis-server', debianPackage: 'redis-server' })
  if (command === undefined) return undefined
  const folder = makeTemporaryFolder()
  const keepNothing = ['--save', '', '--appendonly', 'no', '--dir', folder]
  try {
    return await startOnFreePort(async (port) => {
      const args = ['--bind', '127.0.0.1', '--port', String(port), ...keepNothing]
      const server = await startServer({ command, args, ready: /ready to accept connections/i })
      return {
        url: `redis://127.0.0.1:${port}`,
        async stop() {
          await server.stop('SIGTERM')
          removeFolder(folder)
        },
      }
    })
  } catch (error) {
    removeFolder(folder)
    throw error
  }
}
