import { join } from 'node:path'
import { createDoorbell } from '../../../src/wires/local/doorbell.ts'
import { createNatsWire } from '../../../src/wires/nats/nats-wire.ts'
import { createNotifyWire } from '../../../src/wires/postgres/notify.ts'
import { createRedisWire } from '../../../src/wires/redis/redis-wire.ts'
import type { Wire } from '../../../src/wires/wire.ts'
import type { ProgramName } from '../../helpers/binaries.ts'
import { type PostgresServer, startPostgres } from '../../helpers/postgres.ts'
import { type RedisServer, startRedis } from '../../helpers/redis.ts'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'
import { type NatsServer, startNats } from '../../helpers/wires/nats.ts'
import { openProxy } from '../../helpers/wires/proxy.ts'

/** An embodiment of `Wire`, with all that its tests need. */
export interface WireMaker {
  readonly name: string
  /** The programs that it starts. */
  readonly programs: readonly ProgramName[]
  open(): Promise<WireWorld>
}

export interface WireWorld {
  /** A wire as another process would have it: they share nothing but the engine. */
  create(): Wire
  /** An expression that makes one in a program which imports nothing else. */
  readonly program: string
  /** The engine, where there is one that can fail. */
  readonly engine?: Engine
  destroy(): Promise<void>
}

export interface Engine {
  stop(): Promise<void>
  start(): Promise<void>
  /** Ends every connection to it. */
  cut(): void
  /** Lets nothing more through the connections that are open, and says so to nobody. */
  stall(): void
}

const SRC = join(import.meta.dirname, '../../../src')
const program = (path: string, maker: string, options: object) =>
  `(await import(${JSON.stringify(join(SRC, path))})).${maker}(${JSON.stringify(options)})`

/** The next try comes as soon as it may: tests wait for it. */
const random = () => 0

const doorbell: WireMaker = {
  name: 'the doorbell',
  programs: [],
  async open() {
    const root = makeTemporaryFolder()
    const options = { folder: join(root, 'bells') }
    return {
      create: () => createDoorbell(options),
      program: program('wires/local/doorbell.ts', 'createDoorbell', options),
      destroy: async () => removeFolder(root),
    }
  },
}

const notify: WireMaker = {
  name: 'PostgreSQL NOTIFY',
  programs: ['initdb'],
  async open() {
    const server = (await startPostgres()) as PostgresServer
    const proxy = await openProxy(Number(new URL(server.adminUrl).port))
    const url = through(server.adminUrl, proxy.port)
    return {
      create: () => createNotifyWire({ url, random }),
      program: program('wires/postgres/notify.ts', 'createNotifyWire', { url }),
      engine: { ...proxy, stop: () => server.crash(), start: () => server.restart() },
      async destroy() {
        await proxy.close()
        await server.stop()
      },
    }
  },
}

const nats: WireMaker = {
  name: 'NATS',
  programs: ['nats-server'],
  async open() {
    const server = (await startNats()) as NatsServer
    const proxy = await openProxy(server.port)
    const url = through(server.url, proxy.port)
    return {
      create: () => createNatsWire({ url, random, format: ({ id }) => JSON.stringify({ id }) }),
      program: program('wires/nats/nats-wire.ts', 'createNatsWire', { url }),
      engine: { ...proxy, stop: () => server.halt(), start: () => server.start() },
      async destroy() {
        await proxy.close()
        await server.stop()
      },
    }
  },
}

const redis: WireMaker = {
  name: 'Redis',
  programs: ['redis-server', 'redis-cli'],
  async open() {
    const server = (await startRedis()) as RedisServer
    const proxy = await openProxy(Number(new URL(server.url).port))
    const url = through(server.url, proxy.port)
    return {
      create: () => createRedisWire({ url, random }),
      program: program('wires/redis/redis-wire.ts', 'createRedisWire', { url }),
      engine: { ...proxy, stop: () => server.end('SIGTERM'), start: () => server.again() },
      async destroy() {
        await proxy.close()
        await server.stop()
      },
    }
  },
}

function through(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/** Those with an engine that can fail. */
export const ENGINES: readonly WireMaker[] = [notify, nats, redis]
export const WIRES: readonly WireMaker[] = [doorbell, ...ENGINES]
