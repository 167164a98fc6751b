import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { findBinary } from './binaries.ts'
import { startOnFreePort, startServer, type UserId } from './servers.ts'
import { makeTemporaryFolder, removeFolder } from './temp.ts'

export interface PostgresOptions {
  /** Keeps `fsync` on, for tests that kill the server. Without it commits cost little and survive no crash. */
  readonly durable?: boolean
  /** Further settings, such as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface PostgresServer {
  /** Of the superuser, on the database `postgres`. */
  readonly adminUrl: string
  readonly folder: string
  createDatabase(): Promise<TestDatabase>
  /** Ends it as a crash would, without a checkpoint; `restart` recovers from that. */
  crash(): Promise<void>
  /** Starts it again on the same data and the same port. */
  restart(): Promise<void>
  /** Ends it and removes its data. Safe to call twice. */
  stop(): Promise<void>
}

export interface TestDatabase {
  readonly url: string
  /** Also ends what is still connected. */
  drop(): Promise<void>
}

/** Starts a private PostgreSQL. Undefined where there is none and it cannot be installed: skip, and say so. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer | undefined> {
  const initdb = findBinary({ name: 'initdb', debianPackage: 'postgresql', folders: '/usr/lib/postgresql/*/bin' })
  if (initdb === undefined) return undefined
  const user = postgresUser()
  const folder = makeTemporaryFolder()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  try {
    const locale = ['-E', 'UTF8', '--locale=C.UTF-8']
    const cluster = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', ...locale]
    execFileSync(initdb, cluster, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, ...user })
    const command = join(dirname(realpathSync(initdb)), 'postgres')
    const start = (port: number) =>
      startServer({
        command,
        args: ['-D', data, '-p', String(port), ...settingsOf(folder, options)],
        ready: /ready to accept connections/,
        user,
      })
    let port = 0
    let server = await startOnFreePort((free) => {
      port = free
      return start(free)
    })
    const adminUrl = `postgres://postgres@127.0.0.1:${port}/postgres`
    return {
      adminUrl,
      folder,
      createDatabase: () => createDatabase(adminUrl),
      crash: () => server.stop('SIGQUIT'),
      async restart() {
        await server.stop('SIGINT')
        server = await start(port)
      },
      async stop() {
        await server.stop('SIGINT')
        removeFolder(folder)
      },
    }
  } catch (error) {
    removeFolder(folder)
    throw error
  }
}

/** A fresh database, so that no test sees what another left. */
export async function createDatabase(adminUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // The empty template: what somebody put into template1 must not reach the tests.
  await runStatement(adminUrl, `CREATE DATABASE ${name} TEMPLATE template0`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runStatement(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** What saves work on data that nobody keeps. Emptied tables are truncated when they have grown, so none needs a vacuum. */
const HASTY = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
}

function settingsOf(folder: string, { durable = false, settings = {} }: PostgresOptions): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: '200',
    ...(durable ? {} : HASTY),
    ...settings,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** PostgreSQL refuses to run as root: then it is its own user, or nobody. */
function postgresUser(): UserId | undefined {
  if (process.getuid?.() !== 0) return undefined
  const numberOf = (flag: string, name: string) =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: numberOf('-u', name), gid: numberOf('-g', name) }
    } catch {
      // There is no such user: try the next.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody"')
}
