import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { findBinary } from './binaries.ts'

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** What the server prints once it takes connections. */
  readonly ready: RegExp
  /** Who it runs as, where we are root and it must not be. */
  readonly user?: UserId | undefined
}

export interface UserId {
  readonly uid: number
  readonly gid: number
}

export interface RunningServer {
  readonly pid: number
  /** Sends a signal and resolves when the process has ended. Safe to call twice. */
  stop(signal: NodeJS.Signals): Promise<void>
}

const START_TIMEOUT_MS = 30_000
const KEPT_LOG_CHARACTERS = 8_000

/** Starts a server and resolves when it says that it is ready; rejects with its last words where it is not to be. */
export async function startServer(server: ServerCommand): Promise<RunningServer> {
  const child = spawnToDieWithUs(server)
  let log = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = (why: string) => reject(new Error(`${server.command} ${why}:\n${log}`))
  const timer = setTimeout(() => {
    fail('was not ready in time')
    child.kill('SIGKILL')
  }, START_TIMEOUT_MS)
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-KEPT_LOG_CHARACTERS)
      if (server.ready.test(log)) resolve()
    })
  }
  child.once('error', (error) => fail(error.message))
  child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`))
  await promise.finally(() => clearTimeout(timer))
  return {
    pid: child.pid as number,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

/** A port of the loopback interface that is free now. Somebody may take it before it is used: then start again. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Starts on a free port, and on another one where the first was taken meanwhile. */
export async function startOnFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  try {
    return await start(await freePort())
  } catch {
    return start(await freePort())
  }
}

/** Where setpriv is there, the kernel ends the server with us even if we are killed. */
function spawnToDieWithUs({ command, args, user }: ServerCommand): ChildProcess {
  const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe']
  const setpriv =
    process.platform === 'linux' ? findBinary({ name: 'setpriv', debianPackage: 'util-linux' }) : undefined
  if (setpriv === undefined) return spawn(command, args, { stdio, ...user })
  const become = user ? ['--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups'] : []
  return spawn(setpriv, ['--pdeathsig', 'KILL', ...become, command, ...args], { stdio })
}
