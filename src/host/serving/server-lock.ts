import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type LockFile, readLockFile, takeLockFile } from '../../kit/node/lock-file.ts'
import { isAlive, processStart } from '../../kit/node/processes.ts'
import { PosternError } from '../../model/errors.ts'
import { isPostgres, STORE_FILE } from '../config/config.ts'

/** A server that runs on this machine, and where it answers. */
export interface RunningServer {
  readonly pid: number
  readonly startedAt: number
  /** Empty until it listens. */
  readonly url: string
  readonly socket: string | null
}

/** One server for an embedded store: it tends the store for everybody, and two would only be in each other's way. */
export interface ServerLock {
  /** Tells where it answers. */
  announce(where: Pick<RunningServer, 'url' | 'socket'>): void
  close(): void
}

const LOCK_FILE = 'server.lock'

/** Takes the place of the server of a store, or says who has it. On PostgreSQL there are as many as one likes. */
export async function lockServer(store: string): Promise<ServerLock> {
  if (isPostgres(store)) return { announce() {}, close() {} }
  const path = lockPath(store)
  const lock = await takeLockFile(path)
  if (!lock) throw runningAt(readServer(path))
  const { pid } = process
  const own = { pid, startedAt: processStart(pid) ?? 0 }
  write(lock, { ...own, url: '', socket: null })
  return {
    announce: (where) => write(lock, { ...own, ...where }),
    close: () => lock.remove(),
  }
}

/** The server of an embedded store, if one runs. */
export function findServer(store: string): RunningServer | undefined {
  if (isPostgres(store)) return undefined
  const found = readServer(lockPath(store))
  return found && found.url !== '' && isAlive(found.pid, found.startedAt) !== 'gone' ? found : undefined
}

/** Whoever opens the store by another name finds the same lock. */
function lockPath(store: string): string {
  const name = basename(store)
  return join(realFolder(dirname(store)), name === STORE_FILE ? LOCK_FILE : `${name}.${LOCK_FILE}`)
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

function readServer(path: string): RunningServer | undefined {
  try {
    const { pid, startedAt, url, socket } = JSON.parse(readLockFile(path))
    return { pid: Number(pid), startedAt: Number(startedAt), url: String(url), socket: socket ?? null }
  } catch {
    return undefined
  }
}

function runningAt(server: RunningServer | undefined): PosternError {
  return new PosternError('SERVER_RUNNING', {
    pid: server?.pid ?? '',
    url: server?.url || 'an address that it has not told yet',
  })
}

function write(lock: LockFile, server: RunningServer): void {
  lock.write(`${JSON.stringify(server)}\n`)
}
