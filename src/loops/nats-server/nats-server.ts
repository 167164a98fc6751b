import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, closeSync, constants, openSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { sleep } from '../../kit/clock/sleep.ts'
import { lockDescriptor } from '../../kit/node/native/flock.ts'
import { createBackoff } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import type { Loop } from '../loop.ts'
import { type NatsFiles, natsFiles } from './nats-files.ts'

export interface NatsServerOptions {
  readonly home: string
  /** Absent or 0: the port of the last run, or any free port. */
  readonly port?: number
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
  /** The folders to search for the program. */
  readonly folders: readonly string[]
}

/** A NATS server that runs as a child process. Waking it starts the child now if it waits to be started again. */
export interface NatsServer extends Loop {
  /** Contains the password, so it must not be logged. */
  readonly url: string
}

const PROGRAM = 'nats-server'
const RETRY = { minMs: 100, maxMs: 15_000 }
const START_MS = 15_000
const END_MS = 10_000
const LOOK_EVERY_MS = 20
/** A server that has run this long is healthy: the backoff is reset. */
const HEALTHY_MS = 60_000

/**
 * Runs a NATS server for this home, reachable from this machine only, until it is closed. It is restarted whenever it
 * ends, and it ends with this process, even if the process is killed. Only one process of a home can run it.
 */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const program = findProgram(options.folders)
  const files = natsFiles(options.home)
  const lock = await takeLock(files)
  try {
    const port = await choosePort(files, options.port)
    const url = files.prepare(port)
    const server = new Supervisor({ program, files, port, lock, note: options.note })
    await server.start()
    files.announce(url)
    return { url, wake: () => server.wake(), close: () => server.close() }
  } catch (error) {
    closeSync(lock)
    throw error
  }
}

function findProgram(folders: readonly string[]): string {
  const found = folders.map((folder) => join(folder, PROGRAM)).find(isExecutable)
  if (found !== undefined) return found
  throw new PosternError('NATS_SERVER_MISSING', { reason: `not in ${folders.join(delimiter)}` })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Locks the home's server. The child inherits the lock and holds it until it ends, even if this process dies first. */
async function takeLock(files: NatsFiles): Promise<number> {
  const fd = openSync(files.lock, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600)
  if (await lockDescriptor(fd, END_MS)) return fd
  closeSync(fd)
  throw failed(files, 'another server of this home runs one')
}

function failed({ log }: NatsFiles, reason: string): PosternError {
  return new PosternError('NATS_SERVER_FAILED', { reason, log })
}

/** Chooses the wanted port, or else that of the last run, or else any free one. A wanted port that is taken is refused. */
async function choosePort(files: NatsFiles, wanted: number | undefined): Promise<number> {
  const last = files.lastPort()
  const port = wanted ? await tryPort(wanted) : ((last && (await tryPort(last))) ?? (await tryPort(0)))
  if (port === undefined) throw failed(files, wanted ? `port ${wanted} is taken` : 'no port is free')
  return port
}

/** Returns the port if it is free, or any free port for 0; undefined if it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(address && typeof address === 'object' ? address.port : undefined))
    })
  })
}

interface SupervisorOptions {
  readonly program: string
  readonly files: NatsFiles
  readonly port: number
  readonly lock: number
  readonly note: NatsServerOptions['note']
}

/**
 * The shell kills the program when our end of its stdin is closed, which the kernel does even if we are killed. The
 * program inherits the lock as the open descriptor 3.
 */
const SCRIPT = `exec 4<&0
"$@" </dev/null 4<&- &
child=$!
{ cat <&4 >/dev/null; kill "$child" 2>/dev/null; } 3<&- &
exec 4<&-
wait "$child"`

class Supervisor implements Loop {
  readonly #options: SupervisorOptions
  readonly #backoff = createBackoff({ ...RETRY, random: Math.random })
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Rejects if the server does not start. Then no process is left behind. */
  async start(): Promise<void> {
    const { files, port } = this.#options
    const child = this.#spawn()
    try {
      await ready(child, port)
    } catch (error) {
      this.#child = undefined
      await endChild(child)
      throw failed(files, reasonOf(error))
    }
    this.#watch(child)
  }

  wake(): void {
    if (this.#timer === undefined || this.#closing) return
    clearTimeout(this.#timer)
    this.#restart()
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#options.files.withdraw()
    const child = this.#child
    this.#child = undefined
    if (child) await endChild(child)
    closeSync(this.#options.lock)
  }

  #spawn(): ChildProcess {
    const { program, files, lock } = this.#options
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'postern', program, '-c', files.config], {
      stdio: ['pipe', 'ignore', 'ignore', lock],
      // Its own process group, so that Ctrl-C at the terminal ends us first, and we end it.
      detached: true,
      env: {},
    })
    child.stdin?.on('error', () => {})
    child.once('error', () => {})
    this.#child = child
    return child
  }

  #watch(child: ChildProcess): void {
    const healthy = setTimeout(() => this.#backoff.reset(), HEALTHY_MS)
    healthy.unref()
    const onExit = () => {
      clearTimeout(healthy)
      if (child !== this.#child) return
      this.#options.note('nats-server.ended', { exitCode: child.exitCode, signal: child.signalCode })
      void endChild(child)
      this.#startLater()
    }
    if (isOver(child)) onExit()
    else child.once('exit', onExit)
  }

  #startLater(): void {
    if (this.#closing) return
    this.#timer = setTimeout(() => this.#restart(), this.#backoff.next())
  }

  #restart(): void {
    this.#timer = undefined
    this.#watch(this.#spawn())
  }
}

function isOver(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

/** Resolves once the port takes connections. */
async function ready(child: ChildProcess, port: number): Promise<void> {
  const until = performance.now() + START_MS
  for (;;) {
    if (isOver(child)) throw new Error(`it ended at once, with ${child.exitCode ?? child.signalCode ?? 'no process'}`)
    if (await takesConnections(port)) return
    if (performance.now() > until) throw new Error('it was not ready in time')
    await sleep(LOOK_EVERY_MS)
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('data', (chunk) => settle(chunk.toString('latin1').startsWith('INFO ')))
    socket.once('error', () => settle(false))
    socket.once('close', () => settle(false))
    socket.setTimeout(START_MS, () => settle(false))
  })
}

/** Asks the child to end by closing its stdin, and kills it if it does not. */
async function endChild(child: ChildProcess): Promise<void> {
  child.stdin?.destroy()
  if (isOver(child)) return
  const timer = setTimeout(() => killGroup(child), END_MS)
  await once(child, 'exit').finally(() => clearTimeout(timer))
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
