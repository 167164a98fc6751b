import { copyFileSync, existsSync, globSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect as dial } from 'node:net'
import { basename, join } from 'node:path'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { createClient } from '@redis/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostern } from '../../../src/index.ts'
import { parseNatsUrl } from '../../../src/wires/nats/address.ts'
import { postern } from '../../helpers/command.ts'
import { startServe } from '../../helpers/http-server.ts'
import { needsPrograms } from '../../helpers/needs.ts'
import { PATIENTLY } from '../../helpers/patience.ts'
import { type RedisServer, startRedis } from '../../helpers/redis.ts'
import { runInShell } from '../../helpers/shell.ts'
import { createSignal, type Signal } from '../../helpers/signal.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { type NatsServer, startNats } from '../../helpers/wires/nats.ts'
import { verifies } from '../verifies.ts'

const SECRET = 'swordfish'
const NEEDS_NATS = needsPrograms('nats-server')
const NEEDS_REDIS = needsPrograms('redis-server', 'redis-cli')

async function nats(): Promise<NatsServer> {
  const server = (await startNats()) as NatsServer
  onTestFinished(() => server.stop())
  return server
}

async function redis(args: readonly string[] = []): Promise<RedisServer> {
  const server = (await startRedis(args)) as RedisServer
  onTestFinished(() => server.stop())
  return server
}

async function homeOf(...agents: readonly string[]): Promise<string> {
  const home = fastFolder()
  for (const agent of agents) await warmPostern({ home }, 'agent', 'add', agent)
  return home
}

/** What a plain client that is none of ours hears of subjects, as `<subject> <content>`. */
async function hearing(url: string, subject: string): Promise<Signal<string>> {
  const { shown: _, ...address } = parseNatsUrl(url)
  const connection = await connect(address)
  onTestFinished(() => connection.close())
  const heard = createSignal<string>()
  connection.subscribe(subject, {
    callback: (_, message) => heard.fire(`${message.subject} ${message.json<{ content: string }>().content}`),
  })
  await connection.flush()
  return heard
}

/** What a consumer of somebody else's, who comes later, is given first: as the guide shows it. */
async function firstKept(url: string, subject: string): Promise<unknown> {
  const { shown: _, ...address } = parseNatsUrl(url)
  const connection = await connect(address)
  onTestFinished(() => connection.close())
  const consumer = await jetstream(connection).consumers.get('INBOX_EVENTS', { filter_subjects: subject })
  for await (const copy of await consumer.consume()) return copy.json()
  return undefined
}

const events = (stderr: string) => stderr.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).event]))

describe('postern serve --wire', () => {
  it('carries what another process has pushed to NATS, where anybody reads it', NEEDS_NATS, async () => {
    verifies('wires.serve')
    const { url } = await nats()
    const home = await homeOf('quinn', 'robin')
    const server = await startServe({ home, args: ['--wire', url] })
    expect(server.wire).toBe(url)
    const heard = await hearing(url, 'inbox.>')
    await warmPostern({ home }, 'inbox', 'push', '--to', 'quinn', 'for one')
    await warmPostern({ home }, 'inbox', 'push', '--broadcast', 'for all')
    expect(await heard.times(2)).toEqual(['inbox.targeted.quinn for one', 'inbox.broadcast for all'])
    expect(await firstKept(url, 'inbox.targeted.quinn')).toMatchObject({ content: 'for one', priority: 2 })
    const metrics = async () => (await server.ask('GET /metrics')).text
    await expect.poll(metrics, PATIENTLY).toContain('postern_relay_carried_total{wire="nats"} 2')
    expect(await metrics()).toContain('postern_wire_up{wire="nats"} 1')
    expect(await metrics()).toContain('postern_relay_lag_events{wire="nats"} 0')
    const { checks } = await warmPosternJson<Health>({ home, env: { POSTERN_WIRE: url } }, 'doctor')
    expect(checks.find(({ name }) => name === 'wire')).toMatchObject({ ok: true })
    expect(await server.stop()).toBe(0)
  })

  it(
    'rings through Redis for what another process has pushed, and takes over what lies in lists',
    NEEDS_REDIS,
    async () => {
      verifies('wires.serve')
      const engine = await redis()
      const home = await homeOf('quinn')
      const server = await startServe({ home, args: ['--wire', engine.url] })
      const client = await createClient({ url: engine.url }).connect()
      onTestFinished(() => client.destroy())
      const heard = createSignal<string>()
      await client.subscribe('wakeup:quinn', () => heard.fire('quinn'))
      await warmPostern({ home }, 'inbox', 'push', '--to', 'quinn', 'ring')
      await heard.fired
      const entry = { eventId: 'e1', type: 'message', data: { senderName: 'Boss', content: 'from a list' } }
      await engine.cli('LPUSH', 'inbox:quinn', JSON.stringify(entry))
      await engine.cli('LPUSH', 'inbox:nobody', '{}')
      const waiting = async () => (await warmPostern({ home }, 'inbox', 'list', '--agent', 'quinn')).stdout
      await expect.poll(waiting, PATIENTLY).toContain('from a list')
      const { checks } = await warmPosternJson<Health>({ home, env: { POSTERN_WIRE: engine.url } }, 'doctor')
      expect(checks.find(({ name }) => name === 'wire.lists')?.detail).toContain('inbox:nobody')
      expect(await server.stop()).toBe(0)
    },
  )

  it(
    'starts and answers while the engine is down, says so once, and carries as soon as it is there',
    NEEDS_NATS,
    async () => {
      verifies('wires.late-engine')
      const engine = await nats()
      await engine.halt()
      const home = await homeOf('quinn')
      const server = await startServe({ home, args: ['--wire', engine.url] })
      await warmPostern({ home }, 'inbox', 'push', '--to', 'quinn', 'while it was down')
      await expect.poll(() => events(server.stderr()), PATIENTLY).toContain('wire.lost')
      expect((await server.ask('GET /readyz')).status).toBe(200)
      expect((await server.ask('GET /metrics')).text).toContain('postern_wire_up{wire="nats"} 0')
      const { checks } = await warmPosternJson<Health>({ home, env: { POSTERN_WIRE: engine.url } }, 'doctor')
      expect(checks.find(({ name }) => name === 'wire')).toMatchObject({ ok: false, level: 'warning' })
      await engine.start()
      await expect
        .poll(async () => (await server.ask('GET /metrics')).text, PATIENTLY)
        .toContain('postern_relay_carried_total{wire="nats"} 1')
      const said = events(server.stderr())
      expect(said.filter((event) => event === 'wire.lost')).toHaveLength(1)
      expect(said.filter((event) => event === 'wire.connected')).toHaveLength(1)
      expect(await server.stop()).toBe(0)
    },
  )

  it('ends while the engine is down', NEEDS_NATS, async () => {
    const engine = await nats()
    const home = await homeOf('quinn')
    const server = await startServe({ home, args: ['--wire', engine.url] })
    await engine.halt('SIGKILL')
    await warmPostern({ home }, 'inbox', 'push', '--to', 'quinn', 'nobody carries this')
    expect(await server.stop()).toBe(0)
  })

  it('refuses a wire that it does not know, and one that is set wrongly', async () => {
    verifies('wires.refusals', 'wires.secrets')
    const home = fastFolder()
    for (const url of ['ftp://h:1', `amqp://u:${SECRET}@h`, 'nats://', 'nonsense', 'redis://a,redis://b']) {
      const { exit, stderr } = await postern({ home }, 'serve', '--port', '0', '--wire', url)
      expect(stderr, url).toContain('WIRE_URL_INVALID')
      expect(stderr).not.toContain(SECRET)
      expect(exit).toBe(64)
    }
    writeFileSync(join(home, 'config.json'), JSON.stringify({ wire: { redisOutMax: 0 } }))
    const { stderr } = await postern({ home }, 'serve', '--port', '0')
    expect(stderr).toMatch(/"wire\.redisOutMax" is not .*CONFIG_INVALID/)
  })

  it('refuses a Redis that may throw messages away', NEEDS_REDIS, async () => {
    verifies('wires.refusals')
    const engine = await redis(['--maxmemory-policy', 'allkeys-lru'])
    const home = fastFolder()
    const { exit, stderr } = await postern({ home }, 'serve', '--port', '0', '--wire', engine.url)
    expect(stderr).toMatch(/allkeys-lru.*noeviction.*WIRE_MAY_EVICT/)
    expect(exit).toBe(69)
  })

  it('never shows a password', NEEDS_REDIS, async () => {
    verifies('wires.secrets')
    const engine = await redis(['--requirepass', SECRET])
    const url = engine.url.replace('redis://', `redis://:${SECRET}@`)
    const home = await homeOf('quinn')
    const env = { POSTERN_WIRE: url }
    const server = await startServe({ home, args: ['--wire', url] })
    expect(server.wire).toMatch(/^redis:\/\/:…@127\.0\.0\.1:\d+$/)
    await expect
      .poll(async () => (await server.ask('GET /metrics')).text, PATIENTLY)
      .toContain('wire_up{wire="redis"} 1')
    const shown = [
      await warmPostern({ home, env }, 'config', '--explain'),
      await warmPostern({ home, env }, 'config', '--json'),
      await warmPostern({ home, env }, 'doctor'),
    ]
    expect(shown[0]?.stdout).toMatch(/wire\.url +redis:\/\/:…@.* POSTERN_WIRE/)
    await engine.stop()
    shown.push(await warmPostern({ home, env }, 'doctor'))
    await expect.poll(() => events(server.stderr()), PATIENTLY).toContain('wire.lost')
    expect(await server.stop()).toBe(0)
    expect(JSON.stringify(shown) + server.stderr()).not.toContain(SECRET)
  })
})

describe('postern serve --nats-server', () => {
  it('runs a NATS server for its home, which others of the home find, and ends it', NEEDS_NATS, async () => {
    verifies('wires.serve', 'wires.secrets')
    await nats()
    const home = await homeOf('quinn')
    const server = await startServe({ home, args: ['--nats-server'] })
    const file = join(home, 'nats', 'url')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const url = readFileSync(file, 'utf8').trim()
    const { password, port, username } = new URL(url)
    const heard = await hearing(url, 'inbox.targeted.quinn')
    await warmPostern({ home }, 'inbox', 'push', '--to', 'quinn', 'hello')
    expect(await heard.fired).toBe('inbox.targeted.quinn hello')
    const { checks } = await warmPosternJson<Health>({ home }, 'doctor')
    expect(checks.find(({ name }) => name === 'wire')).toMatchObject({ ok: true })
    expect(await server.stop()).toBe(0)
    await expect.poll(() => isOpen(Number(port)), PATIENTLY).toBe(false)
    expect(existsSync(file)).toBe(false)
    expect(`${server.wire}${server.stderr()}`).not.toContain(password || username)
  })

  it('takes no second wire, and no port that is none', async () => {
    const home = fastFolder()
    const refused = [['--nats-server', '--wire', 'nats://h'], ['--nats-server', 'x'], ['4222']]
    for (const args of refused) {
      expect(await postern({ home }, 'serve', ...args)).toMatchObject({ exit: 64, stdout: '' })
    }
  })
})

describe('openPostern with a wire', () => {
  it('wakes whoever waits on another machine, as far as bells and stores can tell', NEEDS_NATS, async () => {
    verifies('wires.sdk')
    const { url } = await nats()
    const home = await homeOf('quinn')
    // The same store under another name has bells of its own, which nobody rings from here.
    const elsewhere = fastFolder()
    symlinkSync(join(home, 'postern.db'), join(elsewhere, 'postern.db'))
    await startServe({ home, args: ['--wire', url] })
    const agent = await openPostern({ store: join(elsewhere, 'postern.db'), home: elsewhere, wire: url, upkeep: false })
    onTestFinished(() => agent.close())
    const woken = createSignal<number>()
    agent.inbox.wait({ agent: 'quinn', timeoutMs: 300_000 }).then(({ pending }) => woken.fire(pending))
    await warmPostern({ home }, 'inbox', 'push', '--to', 'quinn', 'wake up')
    // Without a ring it would look for itself only after half a minute.
    await expect.poll(() => woken.values, PATIENTLY).toEqual([1])
  })

  it('refuses a wire whose driver is not installed, and says what to install', async () => {
    verifies('wires.refusals')
    const folder = fastFolder()
    const dist = join(import.meta.dirname, '../../../dist')
    for (const path of globSync(join(dist, '*.js'))) copyFileSync(path, join(folder, basename(path)))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const script = `import { openPostern } from './index.js'
      for (const wire of ['nats://h', 'redis://h'])
        await openPostern({ home: process.argv[2], wire }).catch(({ code, next }) => console.log(code, next))`
    writeFileSync(join(folder, 'open.js'), script)
    const { stdout } = await runInShell({ home: folder }, 'node open.js "$PWD/home"')
    expect(stdout.trimEnd().split('\n')).toEqual([
      'WIRE_DRIVER_MISSING Install it beside Postern with "npm install @nats-io/transport-node @nats-io/jetstream".',
      'WIRE_DRIVER_MISSING Install it beside Postern with "npm install @redis/client".',
    ])
  })
})

interface Health {
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
