import { AckPolicy, DeliverPolicy, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatSpoolCopy } from '../../../src/spool/message-copy.ts'
import { createNatsWire } from '../../../src/wires/nats/nats-wire.ts'
import { runCli } from '../../faults/harness/cli.ts'
import { type ServeProcess, startServe } from '../../helpers/http-server.ts'
import { needsPrograms } from '../../helpers/needs.ts'
import { DEAD_MACHINE_MS, PATIENTLY } from '../../helpers/patience.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { type NatsServer, startNats } from '../../helpers/wires/nats.ts'
import { verifies } from '../verifies.ts'

const STREAM = 'INBOX_EVENTS'
const COUNT = 40

interface World {
  readonly home: string
  readonly wire: string
  readonly server: ServeProcess
  /** Of somebody who knows nothing of us. */
  readonly foreign: JetStreamManager
}

async function open(): Promise<World> {
  const nats = (await startNats()) as NatsServer
  onTestFinished(() => nats.stop())
  const home = fastFolder()
  const server = await startServe({ home, args: ['--wire', nats.url] })
  const connection = await connect({ servers: nats.url })
  onTestFinished(() => connection.close())
  for (const id of ['quinn', 'rex']) await server.ask('POST /api/v1/agents', { body: { id } })
  return { home, wire: nats.url, server, foreign: await jetstreamManager(connection) }
}

/** A consumer as anybody would make one, with the name that the seed gives it. */
async function consume(foreign: JetStreamManager, name: string, subject: string, wanted: number) {
  await foreign.consumers.add(STREAM, {
    durable_name: name,
    filter_subject: subject,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
  })
  const consumer = await foreign.jetstream().consumers.get(STREAM, name)
  const taken: { subject: string; entry: Readonly<Record<string, unknown>>; id: string | undefined }[] = []
  while (taken.length < wanted) {
    const message = await consumer.next({ expires: DEAD_MACHINE_MS })
    if (!message) break
    taken.push({ subject: message.subject, entry: message.json(), id: message.headers?.get('Nats-Msg-Id') })
    message.ack()
  }
  const { num_pending } = await consumer.info()
  return { taken, left: num_pending }
}

async function push({ server }: World, body: object): Promise<string> {
  const answer = await server.ask('POST /api/v1/inbox', { body })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

describe('a plain NATS client', needsPrograms('nats-server'), () => {
  it('reads what a server publishes, each once and in order, as the seed writes it', async () => {
    verifies('S000.nats.foreign')
    const world = await open()
    const ids: string[] = []
    for (let i = 0; i < COUNT; i++) {
      const id = await push(world, {
        to: [i % 4 === 3 ? 'rex' : 'quinn'],
        type: 'alert',
        content: `CI run ${i} failed`,
      })
      if (i % 4 !== 3) ids.push(id)
    }
    const keyed = { to: ['quinn'], type: 'decision', priority: 1, dedupKey: 'decision:hq-abc123', ttlMs: 600_000 }
    ids.push(await push(world, { ...keyed, content: 'Decision X resolved: Y' }))
    const { taken, left } = await consume(world.foreign, 'inbox-quinn', 'inbox.targeted.quinn', ids.length)
    expect(taken.map(({ entry }) => entry['id'])).toEqual(ids)
    expect(taken.map(({ id }) => id)).toEqual(ids.map((id) => `${id}:quinn`))
    expect(left).toBe(0)
    expect(taken.at(-1)?.entry).toEqual({
      id: ids.at(-1),
      type: 'decision',
      source: expect.any(String),
      content: 'Decision X resolved: Y',
      priority: 1,
      timestamp: expect.any(Number),
      dedup_key: 'decision:hq-abc123',
      ttl_seconds: 600,
    })
  })

  it('reads a broadcast from its own subject, and a message to several from each of theirs', async () => {
    const world = await open()
    const broadcast = await push(world, { to: ['all'], type: 'system', content: 'Maintenance in 10 minutes' })
    const both = await push(world, { to: ['quinn', 'rex'], content: 'for two' })
    const { taken } = await consume(world.foreign, 'everything', 'inbox.>', 3)
    expect(taken.map(({ subject, entry }) => [subject, entry['id']])).toEqual([
      ['inbox.broadcast', broadcast],
      ['inbox.targeted.quinn', both],
      ['inbox.targeted.rex', both],
    ])
  })
})

describe('a hostile id', needsPrograms('nats-server'), () => {
  const HOSTILE = ['a.b', 'x>y', '>', '*', 'quinn.>', 'quinn.*', 'inbox.targeted.quinn', 'Quinn', 'quinn\r\nPUB x', '']

  it('is no agent by any door, and listens to nobody', async () => {
    verifies('S000.nats.hostile-id')
    const world = await open()
    const wire = createNatsWire({ url: world.wire, format: formatSpoolCopy })
    onTestFinished(async () => wire.close())
    for (const id of HOSTILE) {
      const added = await world.server.ask('POST /api/v1/agents', { body: { id } })
      expect(added, id).toMatchObject({ status: 422, body: { code: 'AGENT_ID_INVALID' } })
      await expect(
        wire.listen([id], () => {}),
        id,
      ).rejects.toThrow(RangeError)
    }
    expect((await world.server.ask('GET /api/v1/agents')).body.map((agent: { id: string }) => agent.id)).toEqual([
      'quinn',
      'rex',
    ])
    const courier = await runCli(world.home, ['courier', '--agent', 'x>y', '--wire', world.wire])
    expect(courier.stderr).toContain('[AGENT_ID_INVALID]')
    expect(courier.code).not.toBe(0)
  })

  it('takes nothing that is for others, even where it is handed to the wire itself', async () => {
    const world = await open()
    const wire = createNatsWire({ url: world.wire, format: formatSpoolCopy })
    onTestFinished(async () => wire.close())
    const got: string[] = []
    for (const id of HOSTILE) {
      await wire.take?.(id, async (line) => void got.push(`${id}: ${line}`)).catch(() => {})
    }
    const id = await push(world, { to: ['quinn'], content: 'for quinn alone' })
    const { taken } = await consume(world.foreign, 'inbox-quinn', 'inbox.targeted.quinn', 1)
    expect(taken.map(({ entry }) => entry['id'])).toEqual([id])
    // Whatever they could have got lay in the stream when this one was sent.
    await push(world, { to: ['all'], content: 'for everybody' })
    await expect.poll(() => got.length, PATIENTLY).toBeGreaterThan(0)
    expect(got.filter((line) => !line.includes('for everybody'))).toEqual([])
  })
})
