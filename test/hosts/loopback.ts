import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The only network that a client gets to see. */
export interface Loopback {
  /** Words before a command that put it there. */
  readonly enter: readonly string[]
  /** Lets a server of this process be reached from there; answers with the port. */
  listen(server: Server): Promise<number>
}

const CHILD = fileURLToPath(new URL('./loopback-child.ts', import.meta.url))

/** Root needs no user namespace; others get one, where the machine lets them. */
const WAYS =
  process.getuid?.() === 0
    ? { unshare: ['-n'], nsenter: ['-n'] }
    : { unshare: ['-rn'], nsenter: ['-U', '-n', '--preserve-credentials'] }

let shared: Promise<Loopback> | undefined

/** One for all tests of a file. It ends with the process. */
export function openLoopback(): Promise<Loopback> {
  shared ??= openNamespace().catch((error: Error) => {
    console.error(`clients run with the machine's own network: no network namespace (${error.message.split('\n')[0]})`)
    return machineLoopback()
  })
  return shared
}

async function openNamespace(): Promise<Loopback> {
  const child = fork(CHILD, {
    execPath: 'unshare',
    execArgv: [...WAYS.unshare, process.execPath],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  await isReady(child)
  // It must not keep the tests' process from ending.
  child.unref()
  child.channel?.unref()
  return {
    enter: ['nsenter', '-t', String(child.pid), ...WAYS.nsenter, '--'],
    async listen(server) {
      const answer = once(child, 'message') as Promise<[{ port: number }, NetServer]>
      child.channel?.ref()
      child.send('listen')
      const [{ port }, socket] = await answer
      child.channel?.unref()
      const listening = once(server, 'listening')
      server.listen(socket)
      await listening
      return port
    },
  }
}

async function isReady(child: ChildProcess): Promise<void> {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('message', () => resolve())
  child.once('error', reject)
  child.once('exit', (code) => reject(new Error(said.trim() || `unshare exited with ${code}`)))
  await promise
}

function machineLoopback(): Loopback {
  return {
    enter: [],
    async listen(server) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
  }
}
