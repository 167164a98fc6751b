import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../host/config/config.ts'
import type { ServerSettings } from '../host/config/server.ts'
import { ensureFirstToken } from '../host/serving/first-token.ts'
import { openNatsServer } from '../host/serving/nats-server.ts'
import { openServed, type Served } from '../host/serving/serve.ts'
import { lockServer } from '../host/serving/server-lock.ts'

import { makePrivateFolder } from '../kit/node/folders.ts'
import { type LockFile, takeLockFile } from '../kit/node/lock-file.ts'
import { createAccessLog, createLog, type Log } from './log.ts'
import { createServer, type PosternServer, type ServerOptions } from './server.ts'

export interface ServeOptions {
  readonly config: Config
  readonly settings: ServerSettings
  /** Set: it starts a NATS server of its own at that port; 0 takes any. */
  readonly natsPort?: number | undefined
  /** Takes a line for everything that goes wrong. */
  readonly note: (line: string) => void
}

/** A server that runs in this process. */
export interface Serving {
  readonly url: string
  /** Null where another server of this home has it. */
  readonly socket: string | null
  readonly tokenFile: string
  /** The engine that rings other machines, fit to be shown; null where there is none. */
  readonly wire: string | null
  /** Nobody was registered when it began. */
  readonly isEmpty: boolean
  /** Lets what is under way end, then closes the store. Safe to call twice. */
  close(): Promise<void>
}

/** Opens the store, and answers for it until it is closed. What cannot be had is given back before this fails. */
export async function serve({ config, settings, natsPort, note }: ServeOptions): Promise<Serving> {
  const log = createLog(note)
  if (!isLoopback(settings.host))
    log.note('serve.exposed', { host: settings.host, reason: 'others can reach it, and nothing is encrypted' })
  const undo: (() => Promise<void> | void)[] = []
  const close = once(async () => {
    for (const step of undo.toReversed()) await step()
  })
  try {
    const wired = natsPort === undefined ? config : await withNatsServer(config, natsPort)
    const served = await openServed(wired, { note: log.note })
    undo.push(() => served.close())
    const lock = await lockServer(config.store)
    undo.push(() => lock.close())
    const tokenFile = await ensureFirstToken(config.home, served.credentials)
    const accessLog = settings.accessLog ? createAccessLog(note) : undefined
    const server = startServer(served, { settings, log, accessLog })
    const socket = await openSocket(server, config.home, log)
    undo.push(() => socket?.release())
    undo.push(() => server.close())
    const url = await server.listen(settings)
    lock.announce({ url, socket: socket?.path ?? null })
    const isEmpty = (await served.postern.agents.list({ limit: 1 })).length === 0
    return { url, socket: socket?.path ?? null, tokenFile, wire: served.wireUrl, isEmpty, close }
  } catch (error) {
    await close()
    throw error
  }

  async function withNatsServer(without: Config, port: number): Promise<Config> {
    const nats = await openNatsServer({ home: without.home, port, note: log.note })
    undo.push(() => nats.close())
    return without.withWire(nats.url)
  }
}

type Starting = Pick<ServeOptions, 'settings'> & Required<Pick<ServerOptions, 'log'>> & Pick<ServerOptions, 'accessLog'>

function startServer(served: Served, { settings: { names }, ...logs }: Starting): PosternServer {
  const { postern, credentials, answerOnce, under, hooked, counts, check, wireStatus } = served
  return createServer({ postern, credentials, answerOnce, under, hooked, counts, check, wireStatus, names, ...logs })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

interface OwnSocket {
  readonly path: string
  release(): void
}

const SOCKET = 'postern.sock'
const SOCKET_LOCK = 'postern.lock'
/** What a path of a socket may have on every system that we know, with its end. */
const SOCKET_BYTES = 104

/** Of several servers of one home the first has the socket. One that was left behind by a dead server is replaced. */
async function openSocket(server: PosternServer, home: string, log: Log): Promise<OwnSocket | undefined> {
  const folder = join(home, 'run')
  const path = join(folder, SOCKET)
  if (Buffer.byteLength(path) >= SOCKET_BYTES) {
    log.note('socket.skipped', { path, reason: 'its path is too long for a socket' })
    return undefined
  }
  makePrivateFolder(folder)
  // A socket is open to whoever the system's defaults say until it has rights of its own, but nobody else gets this far.
  chmodSync(folder, 0o700)
  const lock = await takeLockFile(join(folder, SOCKET_LOCK))
  if (!lock) return undefined
  rmSync(path, { force: true })
  try {
    await server.listenOnSocket(path)
  } catch (error) {
    lock.remove()
    throw error
  }
  return { path, release: () => release(path, lock) }
}

function release(path: string, lock: LockFile): void {
  rmSync(path, { force: true })
  lock.remove()
}

function once(call: () => Promise<void>): () => Promise<void> {
  let called: Promise<void> | undefined
  return () => {
    called ??= call()
    return called
  }
}
