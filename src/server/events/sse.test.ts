import { describe, expect, it, onTestFinished } from 'vitest'
import { openServer, type TestServer } from '../../../test/helpers/http-server.ts'
import { connectSse, type SseConnection, type SseOptions } from '../../../test/helpers/sse-client.ts'
import type { Postern } from '../../model/postern.ts'
import { SILENT } from '../log.ts'
import { createEventStreams, type EventStreams, type StreamsOptions } from './streams.ts'

interface Scene extends TestServer {
  readonly postern: Postern
  connect(options?: Partial<SseOptions>): Promise<SseConnection>
  push(count: number): Promise<string[]>
}

interface SceneOptions extends Omit<Partial<StreamsOptions>, 'postern'> {
  /** What the hub reads from. */
  readonly through?: (postern: Postern) => Postern
}

const CROWD = Array.from({ length: 30 }, (_, i) => `agent-${i}`)

async function open({ through = (postern) => postern, ...options }: SceneOptions = {}): Promise<Scene> {
  let streams: EventStreams | undefined
  const server = await openServer({ openEventStream: (streaming) => (streams as EventStreams).open(streaming) })
  const { postern } = server.served
  streams = createEventStreams({ postern: through(postern), log: SILENT, ...options })
  for (const id of ['ada', 'quinn', ...CROWD]) await postern.agents.add({ id })
  const admin = await server.token()
  return {
    ...server,
    postern,
    async connect(given = {}) {
      const connection = await connectSse(server.url, { token: admin, ...given })
      onTestFinished(() => connection.close())
      return connection
    },
    async push(count) {
      const messages = Array.from({ length: count }, (_, i) => ({
        to: [CROWD[i % CROWD.length] ?? ''],
        content: `${i}`,
      }))
      return (await postern.inbox.pushMany({ messages })).map(({ id }) => id)
    },
  }
}

const subjectsOf = ({ events }: SseConnection): string[] => events.map(({ data }) => JSON.parse(data).subject)

describe('a stream of events', () => {
  it('has the form of the standard, and times as ISO 8601', async () => {
    const { connect, push, postern } = await open()
    const stream = await connect()
    expect(stream).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-request-id': expect.stringMatching(/^req_/),
      },
    })
    const [id] = await push(1)
    await stream.until(({ length }) => length === 1)
    const { items } = await postern.events.list({ latest: 1 })
    const { cursor, at, type } = items[0] ?? { at: 0 }
    expect(stream.text.startsWith('retry: 1000\n\n')).toBe(true)
    expect(stream.events).toMatchObject([{ id: cursor, event: 'message.created' }])
    expect(JSON.parse(stream.events[0]?.data ?? '')).toEqual({ ...items[0], at: new Date(at).toISOString() })
    expect([type, subjectsOf(stream)]).toEqual(['message.created', [id]])
  })

  it('begins with the present, after a cursor, with the latest, or where the client was', async () => {
    const { connect, push, postern } = await open()
    const { cursor } = await postern.events.list()
    const first = await push(3)
    const streams = {
      now: await connect(),
      after: await connect({ query: `?after=${cursor}` }),
      latest: await connect({ query: '?latest=2' }),
    }
    const second = await push(1)
    await Promise.all(
      Object.values(streams).map((each) =>
        each.until((events) => events.length > 0 && subjectsOf(each).includes(second[0] ?? '')),
      ),
    )
    expect(subjectsOf(streams.now)).toEqual(second)
    expect(subjectsOf(streams.after)).toEqual([...first, ...second])
    expect(subjectsOf(streams.latest)).toEqual([...first.slice(1), ...second])
    const lastId = streams.after.events[1]?.id ?? ''
    const back = await connect({ lastId, query: `?after=${cursor}` })
    await back.until(({ length }) => length === 2)
    expect(subjectsOf(back)).toEqual([...first.slice(2), ...second])
  })

  it('goes on from the store to what happens without gap or repetition, while others write', async () => {
    const { connect, push, postern } = await open()
    const { cursor } = await postern.events.list()
    const ids = await push(1_300)
    const writing = (async () => {
      for (let i = 0; i < 60; i++) ids.push(...(await push(7)))
    })()
    const streams = await Promise.all(Array.from({ length: 5 }, () => connect({ query: `?after=${cursor}` })))
    await writing
    for (const stream of streams) {
      await stream.until(({ length }) => length >= ids.length)
      expect(subjectsOf(stream)).toEqual(ids)
    }
  })

  it('tells only what is wanted, and what the token may see', async () => {
    const { connect, push, postern, token } = await open()
    const wanted = await connect({ query: '?types=agent.*,gate.opened' })
    const ofAgent = await connect({ query: '?agent=ada' })
    const ofToken = await connect({ token: await token('agent:ada') })
    await push(1)
    const { id } = await postern.inbox.push({ to: ['ada'], content: 'for ada' })
    await postern.agents.add({ id: 'end' })
    for (const stream of [wanted, ofAgent, ofToken])
      await stream.until((events) => events.at(-1)?.event === 'agent.added')
    expect(subjectsOf(wanted)).toEqual(['end'])
    expect(subjectsOf(ofAgent)).toEqual([id, 'end'])
    expect(subjectsOf(ofToken)).toEqual([id, 'end'])
  })

  it('names to a token only its own messages of an offer', async () => {
    const { connect, postern, token } = await open()
    const [ofSender, ofReader] = [
      await connect({ token: await token('agent:ada') }),
      await connect({ token: await token('agent:quinn') }),
    ]
    const ada = { id: 'ada', kind: 'ai', verified: true, via: 'http' } as const
    const own = await postern.as(ada).inbox.push({ to: ['quinn'], content: 'from ada' })
    const other = await postern.as({ ...ada, id: 'agent-1' }).inbox.push({ to: ['quinn'], content: 'from another' })
    const { offer } = await postern.inbox.drain({ agent: 'quinn' })
    await postern.inbox.confirm({ offerId: offer?.id ?? '', evidence: 'test', printed: true })
    const seen = async (stream: SseConnection) => {
      await stream.until((events) => events.at(-1)?.event === 'delivery.seen')
      return JSON.parse(stream.events.at(-1)?.data ?? '')
    }
    expect(await seen(ofReader)).toMatchObject({ data: { messages: [own.id, other.id] } })
    expect(await seen(ofSender)).toMatchObject({ agents: ['quinn', 'ada'], data: { messages: [own.id] } })
    expect(JSON.stringify(ofSender.events)).not.toMatch(new RegExp(`${other.id}|agent-1`))
  })

  it('is refused before it begins where the request is wrong', async () => {
    const { url, token, ask } = await open()
    const headers = { accept: 'text/event-stream' }
    const statusOf = async (query: string) => (await ask(`GET /api/v1/events${query}`, { headers })).body.code
    expect(await statusOf('?types=gate.exploded')).toBe('VALUE_INVALID')
    expect(await statusOf('?after=yesterday')).toBe('CURSOR_UNKNOWN')
    expect(await statusOf('?colour=red')).toBe('INPUT_INVALID')
    expect(await connectSse(url, { token: 'pst_wrong' })).toMatchObject({ status: 401 })
    expect(await connectSse(url, { token: await token('agent:ada'), query: '?agent=No' })).toMatchObject({
      status: 422,
    })
  })

  it('says that something may have been missed, and goes on', async () => {
    const { connect, push, served } = await open()
    const lost = await connect({ lastId: 'of-another-store' })
    await lost.until(({ length }) => length === 1)
    expect(lost.events).toMatchObject([{ event: 'gap' }])
    const [old] = await push(2)
    await lost.until(({ length }) => length === 3)
    expect(subjectsOf(lost)).toEqual(['events', old, expect.any(String)])
    // Whoever is cut off right after the gap misses nothing of what came then.
    const again = await connect({ lastId: lost.events[0]?.id ?? '' })
    await again.until(({ length }) => length === 2)
    expect(subjectsOf(again)[0]).toBe(old)
    await served.close()
  })
})

describe('a client', () => {
  it('hears from time to time that the server lives, and where it is by now', async () => {
    const { connect, push, postern } = await open({ beatMs: 20 })
    const stream = await connect({ query: '?types=gate.*' })
    await push(1)
    const { cursor } = await postern.events.list()
    await expect.poll(() => stream.lastId).toBe(cursor)
    expect(stream.events).toEqual([])
    await expect.poll(() => stream.text.match(/^:$/gm)?.length).toBeGreaterThan(3)
  })

  it('whose token is revoked hears nothing more', async () => {
    const { connect, postern } = await open({ checkMs: 20 })
    const { id, token } = await postern.tokens.create({ scope: 'agent:ada' })
    const [revoked, other] = [await connect({ token }), await connect()]
    await postern.tokens.revoke({ id })
    await revoked.ended
    expect(await connect({ token })).toMatchObject({ status: 401 })
    expect(other.isEnded).toBe(false)
  })

  it('whose agent is removed hears nothing more', async () => {
    const { connect, postern, token } = await open({ checkMs: 20 })
    const [removed, other] = [await connect({ token: await token('agent:ada') }), await connect()]
    await postern.agents.remove({ id: 'ada' })
    await removed.ended
    expect(other.isEnded).toBe(false)
  })

  it('has a few streams, and an administrator does not have all of them', async () => {
    const { connect, token } = await open()
    const ada = await token('agent:ada')
    const streams = await Promise.all(Array.from({ length: 8 }, () => connect({ token: ada })))
    expect(streams.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const refused = await connect({ token: ada })
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
    streams[0]?.close()
    await expect.poll(async () => (await connect({ token: ada })).status).toBe(200)
    const many = await Promise.all(Array.from({ length: 257 }, () => connect()))
    expect(many.filter(({ status }) => status === 429)).toHaveLength(1)
    expect(await connect({ token: await token('agent:quinn') })).toMatchObject({ status: 200 })
  })

  it('that takes nothing is dropped, and may come back for what it has missed', async () => {
    const { connect, push, postern, ask } = await open({ beatMs: 500 })
    const { cursor } = await postern.events.list()
    await connect({ isStalled: true })
    const served = await connect()
    const isDropped = async () => (await ask('GET /metrics')).text.includes('\npostern_event_streams 1\n')
    const ids: string[] = []
    while (!(await isDropped())) {
      ids.push(...(await push(500)))
      // Client and server share a thread here. Without this wait a busy machine would stall this client, too.
      await served.until(({ length }) => length >= ids.length)
    }
    expect(subjectsOf(served)).toEqual(ids)
    const back = await connect({ lastId: cursor })
    await back.until(({ length }) => length >= ids.length)
    expect(subjectsOf(back)).toEqual(ids)
  })

  it('that takes less than comes gets everything in its own time', async () => {
    const { connect, push } = await open()
    const slow = await connect()
    slow.stall()
    const ids: string[] = []
    for (let i = 0; i < 15; i++) ids.push(...(await push(1_000)))
    slow.goOn()
    await slow.until(({ length }) => length >= ids.length)
    expect(subjectsOf(slow)).toEqual(ids)
  })

  it('is let go when the server stops', async () => {
    const { connect, close } = await open()
    const streams = [await connect(), await connect()]
    await close()
    await Promise.all(streams.map(({ ended }) => ended))
  })
})

describe('the store', () => {
  it('is read once for all who follow, and not at all when nobody does', async () => {
    let [waits, waiting] = [0, 0]
    const counted = (postern: Postern): Postern => ({
      ...postern,
      events: {
        ...postern.events,
        wait(input) {
          waits++
          waiting++
          return postern.events.wait(input).finally(() => waiting--)
        },
      },
    })
    const { connect, push } = await open({ through: counted })
    expect([waits, waiting]).toEqual([0, 0])
    const streams = await Promise.all(Array.from({ length: 20 }, () => connect()))
    expect([waits, waiting]).toEqual([1, 1])
    await push(1)
    for (const stream of streams) stream.close()
    await expect.poll(() => waiting).toBe(0)
  })
})
