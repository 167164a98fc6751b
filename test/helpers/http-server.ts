import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/host/config/config.ts'
import { openServed, type Served } from '../../src/host/serving/serve.ts'
import type { Limits } from '../../src/model/limits.ts'
import { createServer, type ServerOptions } from '../../src/server/server.ts'
import { EXECUTABLE } from './command.ts'
import { lastLines, showIfFailed } from './evidence.ts'
import { copyMigrated } from './migrated-store.ts'
import { spawnServing } from './server/serving-process.ts'
import { fastFolder } from './temp.ts'

export interface Asked {
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: string
  readonly socketPath?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The answer as JSON; undefined where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into has many shapes
  readonly body: any
}

/** Sends one request exactly as it is given, on a connection of its own. */
export async function ask(url: string, route: string, asked: Asked = {}): Promise<Answer> {
  const [method = 'GET', path = '/'] = route.split(' ')
  const sent = asked.text ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body))
  const outgoing = request(new URL('/', url), {
    method,
    path,
    agent: false,
    ...(asked.socketPath !== undefined && { socketPath: asked.socketPath }),
    headers: {
      ...(asked.token && { authorization: `Bearer ${asked.token}` }),
      ...(sent !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      ...asked.headers,
    },
  })
  outgoing.end(sent)
  const [response] = await once(outgoing, 'response')
  const body = await text(response)
  return { status: response.statusCode, headers: response.headers, text: body, body: parse(body) }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export interface TestServer {
  readonly url: string
  readonly served: Served
  /** A token of a scope; an administrator's by default. */
  token(scope?: string): Promise<string>
  /** Asks with an administrator's token, unless another one is given. */
  ask(route: string, asked?: Asked): Promise<Answer>
  readonly logged: string[]
  /** Where its buses lie. */
  readonly busRoot: string
  close(): Promise<void>
}

export interface TestServerOptions extends Partial<ServerOptions> {
  readonly limits?: Partial<Limits>
  readonly hasUpkeep?: boolean
  /** Another store than a new one on SQLite. */
  readonly store?: string
}

/** A server in this process, on a store of its own. */
export async function openServer({
  limits,
  hasUpkeep = false,
  store,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const home = fastFolder()
  const logged: string[] = []
  const busRoot = join(home, 'run-agent')
  const read = readConfig({ flags: { home }, env: {}, cwd: home })
  const config = { ...read, limits: { ...read.limits, ...limits }, ...(store !== undefined && { store }) }
  if (store === undefined) await copyMigrated(config.store)
  const served = await openServed(config, { upkeep: false, hasUpkeep, bus: { root: busRoot } })
  const { postern, credentials, answerOnce, under, hooked, counts, check } = served
  const log = { note: (event: string, fields = {}) => void logged.push(JSON.stringify({ event, ...fields })) }
  const server = createServer({ postern, credentials, answerOnce, under, hooked, counts, check, log, ...options })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  showIfFailed(() => `log of the server at ${url}:\n${lastLines(logged.join('\n'))}`)
  onTestFinished(async () => {
    await server.close()
    await served.close()
  })
  const token = async (scope = 'admin') => (await postern.tokens.create({ scope })).token
  const admin = await token()
  return {
    url,
    served,
    token,
    logged,
    busRoot,
    ask: (route, asked = {}) => ask(url, route, { token: admin, ...asked }),
    close: () => server.close(),
  }
}

export interface ServeProcess {
  readonly url: string
  readonly socket: string
  readonly pid: number
  readonly token: string
  /** The engine that rings other machines, as it is shown. */
  readonly wire: string | null
  readonly child: ChildProcess
  readonly stderr: () => string
  ask(route: string, asked?: Asked): Promise<Answer>
  /** Ends it, and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface ServeCommand {
  readonly home: string
  readonly executable?: string
  readonly args?: readonly string[]
  /** Any that is free by default. */
  readonly port?: string
  /** Options of Node itself. */
  readonly node?: readonly string[]
}

/** What `postern serve --json` says of itself. */
interface Announced extends Pick<ServeProcess, 'url' | 'socket' | 'pid' | 'wire'> {
  readonly tokenFile?: string
}

/** Runs `postern serve` as a user would, on a port that is free. */
export async function startServe(command: ServeCommand): Promise<ServeProcess> {
  const { home, executable = EXECUTABLE, port = '0', args = [], node } = command
  const words = ['serve', '--port', port, '--json', ...args]
  const { child, exited, announced, stderr, stop } = spawnServing(home, executable, words, node)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const { url, socket, pid, tokenFile, wire } = await announced<Announced>()
  const token = readFileSync(tokenFile ?? join(home, 'token'), 'utf8').trim()
  return {
    url,
    socket,
    pid,
    token,
    wire,
    child,
    stderr,
    ask: (route, asked = {}) => ask(url, route, { token, ...asked }),
    stop,
  }
}
