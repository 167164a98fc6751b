import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNatsWire } from '../../../src/wires/nats/nats-wire.ts'
import type { EngineWire } from '../../../src/wires/wire.ts'
import { copyTo } from '../../conformance/wires/copies.ts'
import { findProgram } from '../../helpers/binaries.ts'
import { needsPrograms } from '../../helpers/needs.ts'
import { DEAD_MACHINE_MS } from '../../helpers/patience.ts'
import { startOnFreePort, startServer } from '../../helpers/servers.ts'
import { createSignal } from '../../helpers/signal.ts'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'

const CONFIG = fileURLToPath(new URL('../../../deploy/nats.conf', import.meta.url))
const STREAM = 'INBOX_EVENTS'
const MINDYS = 'inbox.targeted.mindy'
const EXPLICIT = { ack_policy: AckPolicy.Explicit }
const WAYS = [
  'a filter',
  'no filter',
  'the older way',
  'a consumer of another',
  'its messages',
  'the stream',
  'a copy for another',
] as const
const PASSWORDS = { NATS_SERVER_PASSWORD: 'p1', NATS_QUINN_PASSWORD: 'p2' }

const nats = findProgram('nats-server')

/** NATS as `deploy/` runs it, but here. */
describe('the rights of an agent in deploy/nats.conf', needsPrograms('nats-server'), () => {
  const folder = makeTemporaryFolder()
  const closers: (() => Promise<unknown>)[] = []
  let port = 0
  let server: EngineWire
  let quinn: NatsConnection

  beforeAll(async () => {
    const running = await startOnFreePort(async (free) => {
      port = free
      return startServer({ command: nats!, args: ['-c', configAt(free)], ready: /Server is ready/ })
    })
    closers.push(() => running.stop('SIGTERM'))
    server = wireOf('server', 'p1')
    await server.carry([copyTo('quinn', 'for quinn'), copyTo('mindy', 'for mindy')])
    quinn = await connectAs('quinn', 'p2')
  })

  afterAll(async () => {
    for (const close of closers.toReversed()) await close()
    removeFolder(folder)
  })

  function configAt(free: number): string {
    const path = join(folder, 'nats.conf')
    const text = readFileSync(CONFIG, 'utf8')
      .replace('listen: 0.0.0.0:4222', `listen: 127.0.0.1:${free}`)
      .replace('store_dir: "/data"', `store_dir: "${join(folder, 'store')}"`)
      .replaceAll(/\$(NATS_[A-Z_]+)/g, (_, name: keyof typeof PASSWORDS) => PASSWORDS[name])
    writeFileSync(path, text)
    return path
  }

  async function connectAs(user: string, pass: string): Promise<NatsConnection> {
    const connection = await connect({ servers: `127.0.0.1:${port}`, user, pass, inboxPrefix: `_INBOX_${user}` })
    closers.push(() => connection.close())
    return connection
  }

  function wireOf(user: string, password: string): EngineWire {
    const url = `nats://${user}:${password}@127.0.0.1:${port}`
    const wire = createNatsWire({ url, format: ({ content }) => content })
    closers.push(async () => wire.close())
    return wire
  }

  it('are enough for its courier, which takes and hears what is its own', async () => {
    const wire = wireOf('quinn', 'p2')
    const taken = createSignal<string>()
    const rung = createSignal<readonly string[]>()
    await wire.take!('quinn', async (line) => taken.fire(line))
    await wire.listen(['quinn', '@all'], (names) => rung.fire(names))
    expect(await taken.times(1)).toEqual(['for quinn'])
    await server.carry([copyTo(null, 'for all')])
    expect(await taken.times(2)).toEqual(['for quinn', 'for all'])
    await server.ring(['quinn'])
    expect(await rung.fired).toEqual(expect.arrayContaining([expect.stringMatching(/quinn|@all/)]))
    expect(await wire.health()).toMatchObject({ isUp: true })
  })

  it.each([
    'inbox.targeted.mindy',
    'inbox.>',
    'inbox.targeted.*',
    'postern.ring.mindy',
    '_INBOX.>',
    '_INBOX_server.>',
    '>',
  ])('do not let it listen to %s', async (subject) => {
    const refused = createSignal<string>()
    quinn.subscribe(subject, { callback: (error) => refused.fire(String(error)) })
    expect(await refused.fired).toMatch(/permissions violation/i)
  })

  it('do not let it read the mail of another in any other way, all of which are open to a server', async () => {
    const reader = await connectAs('server', 'p1')
    const manager = await jetstreamManager(reader, { checkAPI: false })
    await manager.consumers.add(STREAM, { ...EXPLICIT, durable_name: 'inbox-mindy', filter_subject: MINDYS })
    // Nobody answers what is not allowed.
    expect(await openTo(quinn, 'inbox-quinn', 500)).toEqual([])
    expect(await openTo(reader, 'inbox-reader', DEAD_MACHINE_MS)).toEqual(WAYS)
  })

  /** Ways to what is not its own that are open to somebody who may have a consumer of that name. */
  async function openTo(connection: NatsConnection, name: string, timeout: number): Promise<string[]> {
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout })
    const ask = async (subject: string, text: string) => {
      const answer = (await connection.request(subject, text, { timeout, noMux: true })).string()
      if (answer.includes('"error"')) throw new Error('it was refused')
    }
    const byHand = (filter: string, durable: string) =>
      JSON.stringify({
        stream_name: STREAM,
        config: { durable_name: durable, ack_policy: 'explicit', filter_subject: filter },
      })
    const ways: Readonly<Record<(typeof WAYS)[number], () => Promise<unknown>>> = {
      'a filter': () => manager.consumers.add(STREAM, { ...EXPLICIT, durable_name: name, filter_subject: MINDYS }),
      'no filter': () => manager.consumers.add(STREAM, { ...EXPLICIT, durable_name: `${name}-all` }),
      'the older way': () =>
        ask(`$JS.API.CONSUMER.DURABLE.CREATE.${STREAM}.${name}-old`, byHand(MINDYS, `${name}-old`)),
      'a consumer of another': () => manager.consumers.info(STREAM, 'inbox-mindy'),
      'its messages': () => ask(`$JS.API.CONSUMER.MSG.NEXT.${STREAM}.inbox-mindy`, ''),
      'the stream': () => manager.streams.getMessage(STREAM, { seq: 2 }),
      'a copy for another': () => ask(MINDYS, 'x'),
    }
    const open: string[] = []
    for (const way of WAYS)
      await ways[way]().then(
        () => open.push(way),
        () => {},
      )
    return open
  }

  it('do not let it say one filter and mean another', async () => {
    const config = { name: 'inbox-quinn', durable_name: 'inbox-quinn', ack_policy: 'explicit', filter_subject: MINDYS }
    const subject = `$JS.API.CONSUMER.CREATE.${STREAM}.inbox-quinn.inbox.targeted.quinn`
    const answer = await quinn.request(subject, JSON.stringify({ stream_name: STREAM, config }))
    expect(answer.json()).toMatchObject({ error: { description: expect.stringMatching(/subject/) } })
  })
})
