import { describe, expect, it, onTestFinished } from 'vitest'
import { openServer } from '../../test/helpers/http-server.ts'
import { type Received, startStub } from '../../test/helpers/server/stub-server.ts'
import { createSignal } from '../../test/helpers/signal.ts'
import type { PosternEvent } from '../model/network/event.ts'
import { connectPostern } from './connect.ts'

function frame(number: number, type = 'message.created'): string {
  const event = {
    cursor: `c${number}`,
    at: '2026-01-01T00:00:00.000Z',
    type,
    subject: `msg_${number}`,
    agents: null,
    data: {},
  }
  return `id: c${number}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

interface Stream extends Received {
  readonly after: string | undefined
  write(text: string): void
  end(): void
}

/** A server whose streams a test writes, one handler for each connection. */
async function follow(...connections: ((stream: Stream) => void)[]) {
  const opened = createSignal<string | undefined>()
  let next = 0
  const { url } = await startStub((received) => {
    const { headers, path, response, json } = received
    if (headers.accept !== 'text/event-stream') return json({ items: [], cursor: 'c0', hasGap: false })
    const after = (headers['last-event-id'] as string | undefined) ?? /after=(\w+)/.exec(path)?.[1]
    const handle = connections[next++] ?? (() => {})
    const open = () => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
    }
    handle({
      ...received,
      after,
      write(text) {
        open()
        response.write(text)
      },
      end() {
        open()
        response.end()
      },
    })
    opened.fire(after)
  })
  return { postern: await connectPostern({ url, token: 't' }), opened }
}

async function take(events: AsyncIterable<PosternEvent>, count: number): Promise<string[]> {
  const taken: string[] = []
  for await (const { type, subject } of events) {
    taken.push(type === 'message.created' ? subject : type)
    if (taken.length === count) break
  }
  return taken
}

describe('following events', () => {
  it('begins with what comes from now on, and reads times', async () => {
    const { postern, opened } = await follow(({ write }) => write(`: hello\n\n${frame(1)}`))
    for await (const event of postern.followEvents()) {
      expect(event).toMatchObject({ cursor: 'c1', at: Date.UTC(2026, 0, 1) })
      break
    }
    expect(opened.values).toEqual(['c0'])
  })

  it('goes on where a connection broke off, with nothing skipped and nothing twice', async () => {
    const { postern, opened } = await follow(
      ({ write, end }) => {
        write(frame(1) + frame(2))
        end()
      },
      ({ write, drop }) => {
        write(frame(3))
        write('id: c4\nda')
        setImmediate(drop)
      },
      ({ json }) => json({ code: 'SERVER_UNAVAILABLE', details: {} }, 503),
      ({ write }) => write(frame(4) + frame(5)),
    )
    expect(await take(postern.followEvents({ after: 'c0' }), 5)).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'])
    expect(opened.values.slice(0, 2)).toEqual(['c0', 'c2'])
    expect(opened.values.at(-1)).toBe('c3')
  })

  it('goes on from where the server said it was, though nothing of interest came', async () => {
    const { postern, opened } = await follow(
      ({ write, end }) => {
        write('retry: 1\n\n')
        write(':\nid: c9\n\n')
        end()
      },
      ({ write }) => write(frame(10)),
    )
    expect(await take(postern.followEvents({ after: 'c0', types: ['message.*'] }), 1)).toEqual(['msg_10'])
    expect(opened.values).toEqual(['c0', 'c9'])
  })

  it('hears a real server, as far as its token may', async () => {
    const { url, served, token } = await openServer()
    for (const id of ['quinn', 'mindy']) await served.postern.agents.add({ id })
    const postern = await connectPostern({ url, token: await token('agent:quinn') })
    onTestFinished(() => postern.close())
    const { cursor } = await postern.events.list()
    for (const to of ['mindy', 'quinn']) await served.postern.inbox.push({ to: [to], content: `to ${to}` })
    for await (const { type, agents, at } of postern.followEvents({ after: cursor, types: ['message.*'] })) {
      expect({ type, at, isForQuinn: agents?.includes('quinn') }).toEqual({
        type: 'message.created',
        at: expect.any(Number),
        isForQuinn: true,
      })
      break
    }
    const unknown = postern.followEvents({ after: 'nowhere' })[Symbol.asyncIterator]().next()
    await expect(unknown).rejects.toMatchObject({ code: 'CURSOR_UNKNOWN' })
  })

  it('says where something may have been missed', async () => {
    const { postern } = await follow(({ write }) => write(frame(7, 'gap') + frame(8)))
    expect(await take(postern.followEvents({ after: 'c1' }), 2)).toEqual(['gap', 'msg_8'])
  })

  it('ends with the signal, and with the connection', async () => {
    const { postern, opened } = await follow(({ write }) => write(': here\n\n'))
    const stopper = new AbortController()
    const following = take(postern.followEvents({ signal: stopper.signal }), 1)
    await opened.fired
    stopper.abort()
    expect(await following).toEqual([])
    const another = take(postern.followEvents({ after: 'c1' }), 1)
    await opened.times(2)
    await postern.close()
    expect(await another).toEqual([])
  })

  it('throws what the server refuses, and that nobody is there to begin with', async () => {
    const refusing = await follow(({ json }) => json({ code: 'CURSOR_UNKNOWN', details: { cursor: 'x' } }, 404))
    await expect(take(refusing.postern.followEvents({ after: 'x' }), 1)).rejects.toMatchObject({
      code: 'CURSOR_UNKNOWN',
    })
    const away = await follow(({ drop }) => drop())
    await expect(take(away.postern.followEvents({ after: 'x' }), 1)).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
    })
  })

  it('throws where the stream cannot be read', async () => {
    const { postern } = await follow(({ write }) => write('data: not json\n\n'))
    await expect(take(postern.followEvents({ after: 'x' }), 1)).rejects.toMatchObject({ code: 'INTERNAL' })
  })
})
