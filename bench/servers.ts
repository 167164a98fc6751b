import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Binary, findBinary } from '../test/helpers/binaries.ts'
import { startOnFreePort, startServer, type UserId } from '../test/helpers/servers.ts'

export interface Server {
  readonly url: string
  stop(): Promise<void>
}

/** A Redis of our own that keeps an append-only file: fsynced before every answer, or once a second. */
export function startRedis(folder: string, appendfsync: 'always' | 'everysec'): Promise<Server> {
  const command = find({ name: 'redis-server', debianPackage: 'redis-server' })
  mkdirSync(folder, { recursive: true })
  const keep = ['--save', '', '--appendonly', 'yes', '--appendfsync', appendfsync, '--dir', folder]
  return startOnFreePort(async (port) => {
    const args = ['--bind', '127.0.0.1', '--port', String(port), '--databases', '1000', ...keep]
    const server = await startServer({ command, args, ready: /ready to accept connections/i })
    return { url: `redis://127.0.0.1:${port}`, stop: () => server.stop('SIGTERM') }
  })
}

/** A NATS of our own with JetStream, as it comes: what it has taken is on its way to the disk. */
export function startNats(folder: string): Promise<Server> {
  const command = find({ name: 'nats-server', debianPackage: 'nats-server', folders: '/usr/sbin' })
  mkdirSync(folder, { recursive: true })
  return startOnFreePort(async (port) => {
    const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder]
    const server = await startServer({ command, args, ready: /Server is ready/ })
    return { url: `nats://127.0.0.1:${port}`, stop: () => server.stop('SIGTERM') }
  })
}

/** A PostgreSQL of our own with its default, durable settings. */
export async function startPostgres(folder: string): Promise<Server> {
  const initdb = find({ name: 'initdb', debianPackage: 'postgresql', folders: '/usr/lib/postgresql/*/bin' })
  const user = postgresUser()
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const cluster = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  execFileSync(initdb, cluster, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, ...user })
  const command = join(dirname(realpathSync(initdb)), 'postgres')
  return startOnFreePort(async (port) => {
    const settings = [`listen_addresses=127.0.0.1`, `unix_socket_directories=${folder}`, 'max_connections=200']
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    const server = await startServer({ command, args, ready: /ready to accept connections/, user })
    return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop: () => server.stop('SIGINT') }
  })
}

function find(binary: Binary): string {
  const path = findBinary(binary)
  if (path === undefined) throw new Error(`there is no ${binary.name} and it cannot be installed here`)
  return path
}

/** PostgreSQL refuses to run as root. */
function postgresUser(): UserId | undefined {
  if (process.getuid?.() !== 0) return undefined
  const numberOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: numberOf('-u'), gid: numberOf('-g') }
}

export interface Served extends Server {
  readonly token: string
  readonly pid: number
  /** The URL with the token in its hash, which is never sent. */
  readonly place: string
}

const BIN = fileURLToPath(new URL('../bin/postern.cjs', import.meta.url))

/** Our own server, as `postern serve` starts it. */
export async function startPostern(home: string, env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json'], {
    env: { ...process.env, ...env, POSTERN_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url, tokenFile } = JSON.parse(line.toString()) as { readonly url: string; readonly tokenFile: string }
  const token = readFileSync(tokenFile, 'utf8').trim()
  return {
    url,
    token,
    pid: child.pid!,
    place: `${url}#${token}`,
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
