import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from './binaries.ts'
import { type RunningServer, startOnFreePort, startServer } from './servers.ts'
import { makeTemporaryFolder, removeFolder } from './temp.ts'

export interface RedisServer {
  readonly url: string
  /** What `redis-cli` prints, without the last line break: a client that is none of ours. */
  cli(...args: readonly string[]): Promise<string>
  /** Ends it with a signal: SIGTERM is a stop, SIGKILL a crash. Nothing that it held is kept. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again on the same port, perhaps with further settings. */
  again(args?: readonly string[]): Promise<void>
  /** Holds its process up and lets it go on: for as long it takes connections and answers nobody. */
  freeze(isFrozen: boolean): void
  /** Ends it and removes its data. Safe to call twice. */
  stop(): Promise<void>
}

/** Starts a private Redis that keeps nothing. Undefined where there is none and it cannot be installed. */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer | undefined> {
  const command = findProgram('redis-server')
  const cli = findProgram('redis-cli')
  if (command === undefined || cli === undefined) return undefined
  const folder = makeTemporaryFolder()
  const keepNothing = ['--save', '', '--appendonly', 'no', '--dir', folder]
  const start = (port: number, further: readonly string[]) => {
    const all = ['--bind', '127.0.0.1', '--port', String(port), ...keepNothing, ...further]
    return startServer({ command, args: all, ready: /ready to accept connections/i })
  }
  try {
    return await startOnFreePort(async (port) => control({ cli, port, folder, start, first: await start(port, args) }))
  } catch (error) {
    removeFolder(folder)
    throw error
  }
}

interface Parts {
  readonly cli: string
  readonly port: number
  readonly folder: string
  readonly first: RunningServer
  start(port: number, args: readonly string[]): Promise<RunningServer>
}

function control({ cli, port, folder, first, start }: Parts): RedisServer {
  let server = first
  return {
    url: `redis://127.0.0.1:${port}`,
    async cli(...args) {
      const { stdout } = await promisify(execFile)(cli, ['-p', String(port), ...args])
      return stdout.replace(/\n$/, '')
    },
    end: (signal) => server.stop(signal),
    async again(args = []) {
      server = await start(port, args)
    },
    freeze(isFrozen) {
      process.kill(server.pid, isFrozen ? 'SIGSTOP' : 'SIGCONT')
    },
    async stop() {
      await server.stop('SIGKILL')
      removeFolder(folder)
    },
  }
}
