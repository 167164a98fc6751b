import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openServer, type TestServer } from '../../../test/helpers/http-server.ts'
import { connectSse, type SseConnection, type SseOptions } from '../../../test/helpers/sse-client.ts'
import type { Postern } from '../../model/postern.ts'
import { createEventStreams, type EventStreams, type StreamsOptions } from '../events/streams.ts'
import { SILENT } from '../log.ts'

interface Scene extends TestServer {
  readonly postern: Postern
  readonly file: string
  connect(options?: Partial<SseOptions>): Promise<SseConnection>
  post(count: number, task_id?: string, body?: string): Promise<string[]>
}

interface SceneOptions extends Omit<Partial<StreamsOptions>, 'postern'> {
  /** What those who wait together read from. */
  readonly through?: (postern: Postern) => Postern
}

const PATH = '/api/projects/p/tasks/t/messages/stream'

/** A server with a bus of a task and one of its project, each with an entry. */
async function open({ through = (postern) => postern, ...options }: SceneOptions = {}): Promise<Scene> {
  let streams: EventStreams | undefined
  const server = await openServer({
    openEventStream: (streaming) => (streams as EventStreams).open(streaming),
    openBusStream: (streaming, params) => (streams as EventStreams).openBus(streaming, params),
  })
  const { postern } = server.served
  streams = createEventStreams({ postern: through(postern), log: SILENT, ...options })
  await postern.agents.add({ id: 'ada' })
  const admin = await server.token()
  const post = async (count: number, task_id: string | undefined, body: string) => {
    const place = { project_id: 'p', ...(task_id !== '' && { task_id: task_id ?? 't' }) }
    const posted = await Promise.all(Array.from({ length: count }, () => postern.bus.post({ ...place, body })))
    return posted.map(({ msg_id }) => msg_id).sort()
  }
  await post(1, 't', 'first')
  await post(1, '', 'first')
  return {
    ...server,
    postern,
    file: join(server.busRoot, 'p', 't', 'TASK-MESSAGE-BUS.md'),
    async connect(given = {}) {
      const connection = await connectSse(server.url, { token: admin, path: PATH, ...given })
      onTestFinished(() => connection.close())
      return connection
    },
    post: (count, task_id, body = 'said') => post(count, task_id, body),
  }
}

const idsOf = ({ events }: SseConnection): string[] =>
  events.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data).msg_id)

const has = (count: number) => (events: SseConnection['events']) =>
  events.filter(({ event }) => event === 'message').length >= count

describe('a stream of entries', () => {
  it('has the form of the seed: the id, the content and the time, and all the rest of the entry', async () => {
    const { connect, postern } = await open()
    const stream = await connect()
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
    const said = { project_id: 'p', task_id: 't', body: 'a\r\n---\n\u2028b', meta: { startedAt: 7 }, type: 'FACT' }
    const { msg_id, ts } = await postern.bus.post(said)
    await stream.until(has(1))
    expect(stream.text.startsWith('retry: 1000\n\n')).toBe(true)
    expect(stream.events).toMatchObject([{ id: msg_id, event: 'message' }])
    const data = JSON.parse(stream.events[0]?.data ?? '')
    expect(data).toMatchObject({ ...said, msg_id, ts, content: said.body, timestamp: ts })
  })

  it('is found under the project, the task, and with both in the query', async () => {
    const { connect, post } = await open()
    const streams = [
      await connect({ path: '/api/v1/messages/stream', query: '?project_id=p&task_id=t' }),
      await connect(),
      await connect({ path: '/api/v1/messages/stream', query: '?project_id=p' }),
      await connect({ path: '/api/projects/p/messages/stream' }),
    ]
    const [ofTask, ofProject] = [await post(1), await post(1, '')]
    await Promise.all(streams.map((stream) => stream.until(has(1))))
    expect(streams.map(idsOf)).toEqual([ofTask, ofTask, ofProject, ofProject])
  })

  it('begins with the present, the last ones, the first, after an entry, or where the client was', async () => {
    const { connect, post, postern } = await open()
    const [first] = (await postern.bus.read({ project_id: 'p', task_id: 't' })).items.map(({ msg_id }) => msg_id)
    const early = await post(3)
    const streams = {
      now: await connect(),
      tail: await connect({ query: '?tail=2' }),
      all: await connect({ query: '?tail=0' }),
      after: await connect({ query: `?after=${early[0]}` }),
      back: await connect({ query: '?tail=0', lastId: early[1] ?? '' }),
    }
    const late = await post(1)
    for (const stream of Object.values(streams))
      await stream.until(({ length }) => idsOf(stream).includes(late[0] ?? '') && length > 0)
    expect(idsOf(streams.now)).toEqual(late)
    expect(idsOf(streams.tail)).toEqual([...early.slice(1), ...late])
    expect(idsOf(streams.all)).toEqual([first, ...early, ...late])
    expect(idsOf(streams.after)).toEqual([...early.slice(1), ...late])
    expect(idsOf(streams.back)).toEqual([...early.slice(2), ...late])
  })

  it('tells whoever comes where that was, so that nothing is missed before the first entry', async () => {
    const { connect, post, postern, file } = await open()
    const stream = await connect()
    await expect.poll(() => stream.lastId).toBe((await postern.bus.read({ project_id: 'p', task_id: 't' })).cursor)
    rmSync(file)
    writeFileSync(file, '')
    const ofNothing = await connect()
    await expect.poll(() => ofNothing.lastId).not.toBe('')
    const { lastId } = ofNothing
    const ids = await post(2)
    const back = await connect({ lastId })
    await back.until(has(2))
    expect(idsOf(back)).toEqual(ids)
  })

  it('goes on from what was written to what is being written without gap or repetition', async () => {
    const { connect, post, postern } = await open()
    await post(400)
    const writing = (async () => {
      for (let i = 0; i < 40; i++) await post(7)
    })()
    const streams = await Promise.all(Array.from({ length: 4 }, () => connect({ query: '?tail=0' })))
    await writing
    const { items } = await postern.bus.read({ project_id: 'p', task_id: 't' })
    for (const stream of streams) {
      await stream.until(has(items.length))
      expect(idsOf(stream)).toEqual(items.map(({ msg_id }) => msg_id))
    }
  })

  it('tells only what is wanted', async () => {
    const { connect, post, postern } = await open()
    const stream = await connect({ query: '?types=FACT' })
    await post(2)
    const { msg_id } = await postern.bus.post({ project_id: 'p', task_id: 't', type: 'FACT', body: 'x' })
    await stream.until(has(1))
    expect(idsOf(stream)).toEqual([msg_id])
  })

  it('of two buses tells both, each in its order, and resumes with a cursor of both', async () => {
    const { connect, post } = await open()
    const query = '?merged=true'
    const stream = await connect({ query })
    const posted: string[] = []
    for (let i = 0; i < 5; i++) posted.push(...(await post(1)), ...(await post(1, '')))
    await stream.until(has(10))
    expect(idsOf(stream).sort()).toEqual([...posted].sort())
    expect(stream.events.at(-1)?.id).toMatch(/^MSG-[^,]+,MSG-[^,]+$/)
    for (const [at, { id }] of stream.events.entries()) {
      const back = await connect({ query, lastId: id })
      if (at === stream.events.length - 1) continue
      await back.until(has(stream.events.length - at - 1))
      expect(idsOf(back)).toEqual(idsOf(stream).slice(at + 1))
      back.close()
      await back.ended
    }
  })

  it('says that something may have been missed, and goes on', async () => {
    const { connect, post, file } = await open()
    const [lost = ''] = await post(1)
    rmSync(file)
    const ids = await post(2)
    const stream = await connect({ lastId: lost })
    await stream.until(has(2))
    expect(stream.events.map(({ event }) => event)).toEqual(['gap', 'message', 'message'])
    expect(JSON.parse(stream.events[0]?.data ?? '')).toMatchObject({ after: lost })
    expect(idsOf(stream)).toEqual(ids)
  })

  it('says so once where nothing is left, and then tells whatever comes', async () => {
    const { connect, post, file } = await open()
    const [followed, merged] = [await connect(), await connect({ query: '?merged=true' })]
    rmSync(file)
    writeFileSync(file, '')
    for (const stream of [followed, merged]) await stream.until(({ length }) => length > 0)
    const ids = await post(2)
    for (const stream of [followed, merged]) {
      await stream.until(has(2))
      expect(stream.events.map(({ event }) => event)).toEqual(['gap', 'message', 'message'])
      expect(idsOf(stream)).toEqual(ids)
    }
  })

  it('cannot be forged by what others call their entries', async () => {
    const { connect, file, post } = await open()
    const stream = await connect()
    const msg_id = 'a b\nevent: gap\ndata: {}\n\n%é'
    const header = `msg_id: ${JSON.stringify(msg_id)}\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p`
    appendFileSync(file, `---\n${header}\n---\nforged\n`)
    await stream.until(has(1))
    const [id] = await post(1)
    await stream.until(has(2))
    expect(stream.events.map(({ event }) => event)).toEqual(['message', 'message'])
    expect(idsOf(stream)).toEqual([msg_id, id])
  })

  it('goes on after an entry that others have called by no plain name', async () => {
    const { connect, file, post } = await open()
    const stream = await connect()
    const names = ['note 7% é', '"a\\tb\\nc"', 'seven # or so', "'it''s'"]
    for (const name of names) {
      appendFileSync(file, `---\nmsg_id: ${name}\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p\n---\nforeign\n`)
    }
    const ids = await post(1)
    await stream.until(has(5))
    expect(idsOf(stream)).toEqual(['note 7% é', 'a\tb\nc', 'seven', "it's", ...ids])
    for (const [at, { id }] of stream.events.entries()) {
      if (at === names.length) continue
      const back = await connect({ lastId: id })
      await back.until(has(names.length - at))
      expect(idsOf(back)).toEqual(idsOf(stream).slice(at + 1))
    }
  })

  it('goes on over a rotation, and over an editor that writes the file anew', async () => {
    const { connect, post, postern, file } = await open()
    const stream = await connect()
    const ids = await post(2)
    await stream.until(has(2))
    await postern.bus.rotate({ project_id: 'p', task_id: 't' })
    ids.push(...(await post(2)))
    await stream.until(has(4))
    writeFileSync(`${file}.new`, readFileSync(file))
    renameSync(`${file}.new`, file)
    ids.push(...(await post(2)))
    await stream.until(has(6))
    expect(stream.events.map(({ id }) => id)).toEqual(ids)
  })

  it('is refused before it begins where the request is wrong', async () => {
    const { ask, url, token } = await open()
    const codeOf = async (path: string) => (await ask(`GET ${path}`)).body.code
    expect(await codeOf('/api/v1/messages/stream')).toBe('INPUT_INVALID')
    expect(await codeOf('/api/v1/messages/stream?project_id=..')).toBe('BUS_ID_INVALID')
    expect(await codeOf('/api/projects/q/messages/stream')).toBe('BUS_NOT_FOUND')
    expect(await codeOf(`${PATH}?types=!`)).toBe('BUS_TYPE_INVALID')
    expect(await codeOf(`${PATH}?colour=red`)).toBe('INPUT_INVALID')
    expect(await codeOf(`${PATH}?after=MSG-unknown`)).toBe('BUS_ENTRY_NOT_FOUND')
    expect(await codeOf(`${PATH}?after=MSG-unknown&tail=2`)).toBe('USAGE')
    expect(await connectSse(url, { token: 'pst_wrong', path: PATH })).toMatchObject({ status: 401 })
    expect(await connectSse(url, { token: await token('agent:ada'), path: PATH })).toMatchObject({ status: 200 })
    expect(await ask(`HEAD ${PATH}`)).toMatchObject({ status: 200, text: '' })
    expect(await ask('HEAD /api/projects/q/messages/stream')).toMatchObject({ status: 404, text: '' })
  })

  it('names no place that would be too long for the header of whoever comes back', async () => {
    const { connect, file, post } = await open()
    const stream = await connect()
    const [before] = await post(1)
    await stream.until(has(1))
    const header = `msg_id: ${'é'.repeat(5_000)}\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p`
    appendFileSync(file, `---\n${header}\n---\nlong\n`)
    await stream.until(has(2))
    expect(stream.lastId).toBe(before)
    const [after] = await post(1)
    await expect.poll(() => stream.lastId).toBe(after)
    expect(await connect({ lastId: stream.lastId })).toMatchObject({ status: 200 })
  })

  it('can be had for a ticket, by those who can send no header', async () => {
    const { ask, url } = await open()
    const { ticket } = (await ask('POST /api/v1/tickets')).body
    const response = await fetch(`${url}${PATH}?ticket=${ticket}`)
    expect(response.status).toBe(200)
    await response.body?.cancel()
    expect((await fetch(`${url}${PATH}?ticket=${ticket}`)).status).toBe(401)
  })
})

describe('who follows a bus', () => {
  it('hears from time to time that the server lives, and where it is by now', async () => {
    const { connect, post } = await open({ heartbeatMs: 20 })
    const stream = await connect({ query: '?types=FACT' })
    const [last] = await post(1)
    await expect.poll(() => stream.lastId).toBe(last)
    await stream.until(({ length }) => length > 3)
    expect(new Set(stream.events.map(({ event }) => event))).toEqual(new Set(['heartbeat']))
    expect(JSON.parse(stream.events[0]?.data ?? '')).toEqual({ timestamp: expect.stringMatching(/Z$/) })
  })

  it('hears nothing more when the token is revoked', async () => {
    const { connect, postern } = await open({ checkMs: 20 })
    const { id, token } = await postern.tokens.create({ scope: 'agent:ada' })
    const [revoked, other] = [await connect({ token }), await connect()]
    await postern.tokens.revoke({ id })
    await revoked.ended
    expect(await connect({ token })).toMatchObject({ status: 401 })
    expect(other.isEnded).toBe(false)
  })

  it('has a few streams of either kind', async () => {
    const { connect, token } = await open()
    const ada = await token('agent:ada')
    for (let i = 0; i < 8; i++) {
      const path = i % 2 === 0 ? PATH : '/api/v1/events'
      expect(await connect({ token: ada, path })).toMatchObject({ status: 200 })
    }
    expect(await connect({ token: ada })).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
  })

  it('is dropped who takes nothing, and may come back for what was missed', async () => {
    const { connect, post, postern, ask } = await open({ beatMs: 100 })
    const { cursor } = await postern.bus.read({ project_id: 'p', task_id: 't' })
    await connect({ isStalled: true })
    const served = await connect()
    const isDropped = async () => (await ask('GET /metrics')).text.includes('\npostern_event_streams 1\n')
    const ids: string[] = []
    while (!(await isDropped())) {
      ids.push(...(await post(20, 't', 'x'.repeat(50_000))))
      await served.until(has(ids.length))
    }
    expect(idsOf(served)).toEqual(ids)
    const back = await connect({ lastId: cursor ?? '' })
    await back.until(has(ids.length))
    expect(idsOf(back)).toEqual(ids)
  })

  it('gets everything in its own time who takes less than comes', async () => {
    const { connect, post } = await open()
    const slow = await connect()
    slow.stall()
    const ids: string[] = []
    for (let i = 0; i < 10; i++) ids.push(...(await post(20, 't', 'x'.repeat(50_000))))
    slow.goOn()
    await slow.until(has(ids.length))
    expect(idsOf(slow)).toEqual(ids)
  })

  it('is let go when the server stops', async () => {
    const { connect, close } = await open()
    const streams = [await connect(), await connect()]
    await close()
    await Promise.all(streams.map(({ ended }) => ended))
  })

  it('waits together with those at the same place, and not at all when nobody follows', async () => {
    let [waits, waiting] = [0, 0]
    const counted = (postern: Postern): Postern => ({
      ...postern,
      bus: {
        ...postern.bus,
        wait(input) {
          waits++
          waiting++
          return postern.bus.wait(input).finally(() => waiting--)
        },
      },
    })
    const { connect, post } = await open({ through: counted })
    expect([waits, waiting]).toEqual([0, 0])
    const streams = await Promise.all(Array.from({ length: 20 }, () => connect()))
    await expect.poll(() => [waits, waiting]).toEqual([1, 1])
    await post(1)
    await Promise.all(streams.map((stream) => stream.until(has(1))))
    for (const stream of streams) stream.close()
    await expect.poll(() => waiting).toBe(0)
  })
})
