import type { IncomingMessage, ServerResponse } from 'node:http'
import { createPostedHooks, type PostedHooks } from '../hooks/posted.ts'
import type { Hooked } from '../host/serving/hooked.ts'
import { randomBytes } from '../kit/node/crypto.ts'
import { createUlid } from '../kit/pure/ulid.ts'
import type { AnswerOnce, UnderClaim } from '../model/network/replies.ts'
import type { Credentials } from '../model/network/tokens.ts'
import type { Postern } from '../model/postern.ts'
import { answer, createExchange, type Waits } from './answering.ts'
import { entryStreamEndpoints, type OpenBusStream } from './bus/stream-endpoints.ts'
import { healthEndpoints } from './endpoints/health.ts'
import { hookEndpoints } from './endpoints/hooks.ts'
import { type McpEndpoints, mcpEndpoints } from './endpoints/mcp.ts'
import { createEventStreams } from './events/streams.ts'
import { createListener } from './listener.ts'
import { type AccessLog, type Log, SILENT } from './log.ts'
import { createMetrics, type Metrics, type Present, type PresentWire } from './metrics.ts'
import { referencePages } from './pages/reference.ts'
import { signInPages } from './pages/sign-in.ts'
import { webFolder, webPages } from './pages/web.ts'
import { createPipeline, type Means } from './pipeline.ts'
import { createRates } from './request/rates.ts'
import { createTickets } from './request/tickets.ts'

export interface ServerOptions extends Partial<Pick<Means, 'openEventStream'>> {
  readonly postern: Postern
  readonly credentials: Credentials
  readonly answerOnce: AnswerOnce
  readonly under: UnderClaim
  readonly openBusStream?: OpenBusStream
  /** How many deliveries are in each state. */
  readonly counts?: () => Promise<Readonly<Record<string, number>>>
  /** Resolves where the store can be read. */
  readonly check?: () => Promise<void>
  /** How the engine that rings other machines is doing; undefined where there is none. */
  readonly wireStatus?: () => Promise<PresentWire | undefined>
  /** What events of hosts are answered from; without it they are not. */
  readonly hooked?: Hooked
  /** Names of this server beside those of the machine, such as a proxy's. */
  readonly names?: readonly string[]
  /** Where the page for people was built; by default beside the executables. */
  readonly web?: string
  readonly log?: Log
  /** Told of every request, where its owner wants that. */
  readonly accessLog?: AccessLog | undefined
  readonly now?: () => number
}

/** The door for machines, browsers and clusters. The Postern that it was made with stays its maker's to close. */
export interface PosternServer {
  /** Resolves with the URL at which it answers; port 0 takes any. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /** Whoever opens this socket needs no token: only the owner can. */
  listenOnSocket(path: string): Promise<void>
  /** Takes no more requests, lets those under way end within a while, and ends the streams. */
  close(): Promise<void>
}

const PATIENCE_MS = 5_000

export function createServer(options: ServerOptions): PosternServer {
  const { log = SILENT, accessLog, now = Date.now } = options
  const metrics = createMetrics()
  const hooks = options.hooked && createPostedHooks(options.hooked)
  const waits: Waits = { open: new Set(), isStopping: false }
  const ulid = createUlid({ now, randomBytes })
  const { means, mcp } = meansOf(options, { metrics, hooks, connections: () => tcp.connections() })
  const respond = createPipeline(means)
  const handle = (isLocal: boolean) => (request: IncomingMessage, response: ServerResponse) =>
    void answer(createExchange({ request, response, isLocal, requestId: `req_${ulid()}`, waits }), {
      respond,
      log,
      accessLog,
      metrics,
    })
  const note = (error: Error) => log.note('listener.failed', { reason: error.message })
  const tcp = createListener(handle(false), note)
  const local = createListener(handle(true), note)

  return {
    async listen({ host, port }) {
      const { address, family, port: taken } = await tcp.listen(host, port)
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
    },
    listenOnSocket: (path) => local.listenOnSocket(path),
    async close() {
      const closing = Promise.all([tcp.close(PATIENCE_MS), local.close(PATIENCE_MS)])
      waits.isStopping = true
      for (const controller of waits.open) controller.abort()
      await mcp.close()
      await closing
      await hooks?.rest()
    },
  }
}

interface Parts {
  readonly metrics: Metrics
  readonly hooks: PostedHooks | undefined
  readonly connections: () => Promise<number>
}

function meansOf(options: ServerOptions, { metrics, hooks, connections }: Parts): { means: Means; mcp: McpEndpoints } {
  const {
    postern,
    credentials,
    answerOnce,
    under,
    counts = async () => ({}),
    names = [],
    log = SILENT,
    now = Date.now,
  } = options
  const startedAt = now()
  const tickets = createTickets(now)
  const present = async (): Promise<Present> => {
    const { rss, heapUsed } = process.memoryUsage()
    return {
      deliveries: await counts(),
      connections: await connections(),
      startedAt,
      residentBytes: rss,
      heapBytes: heapUsed,
      wire: await options.wireStatus?.(),
    }
  }
  const check = options.check ?? (async () => {})
  const health = healthEndpoints({ tickets, metrics, check, present })
  const streams = createEventStreams({ postern, log, now })
  const { openEventStream = streams.open, openBusStream = streams.openBus } = options
  const entryStreams = entryStreamEndpoints({ openBusStream, metrics })
  const guard = { credentials, tickets, rates: createRates(now), log }
  const mcp = mcpEndpoints({ postern, ...guard })
  const web = [...signInPages({ credentials, now }), ...webPages(options.web ?? webFolder())]
  const hooked = hooks ? hookEndpoints(hooks) : []
  const endpoints = [...health, ...referencePages(), ...entryStreams, ...hooked, ...mcp.endpoints, ...web]
  const means = {
    ...guard,
    postern,
    answerOnce,
    under,
    metrics,
    names: names.map((name) => name.toLowerCase()),
    endpoints,
    openEventStream,
  }
  return { means, mcp }
}
