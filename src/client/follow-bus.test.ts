import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openServer } from '../../test/helpers/http-server.ts'
import { startStub } from '../../test/helpers/server/stub-server.ts'
import { createSignal } from '../../test/helpers/signal.ts'
import { connectPostern } from './connect.ts'
import type { BusNews } from './follow-bus.ts'

const PLACE = { project_id: 'p', task_id: 't' } as const

function frame(number: number): string {
  const entry = { msg_id: `m${number}`, ts: '2026-01-01T00:00:00Z', type: 'FACT', ...PLACE, body: `said ${number}` }
  const data = JSON.stringify({ ...entry, content: entry.body, timestamp: entry.ts })
  return `id: m${number}\nevent: message\ndata: ${data}\n\n`
}

type Connection = (write: (text: string) => void, end: () => void) => void

/** A server whose streams a test writes, one handler for each connection. */
async function follow(...connections: Connection[]) {
  const opened = createSignal<string | undefined>()
  let next = 0
  const { url } = await startStub(({ headers, path, response, json }) => {
    if (headers.accept !== 'text/event-stream') return json({ items: [], cursor: null, hasMore: false, hasGap: false })
    opened.fire((headers['last-event-id'] as string | undefined) ?? new URL(path, url).searchParams.get('after') ?? '-')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const handle = connections[next++] ?? (() => {})
    handle(
      (text) => response.write(text),
      () => response.end(),
    )
  })
  return { postern: await connectPostern({ url, token: 't' }), opened }
}

async function take(news: AsyncIterable<BusNews>, count: number): Promise<(string | null)[]> {
  const taken: (string | null)[] = []
  for await (const { entry } of news) {
    taken.push(entry?.msg_id ?? null)
    if (taken.length === count) break
  }
  return taken
}

describe('following a bus', () => {
  it('goes on where a connection broke off, with nothing skipped and nothing twice', async () => {
    const { postern, opened } = await follow(
      (write, end) => {
        write(`retry: 1\n\n${frame(1)}${frame(2)}event: heartbeat\ndata: {}\n\n`)
        end()
      },
      (write, end) => {
        write(`${frame(3)}id: m4\nda`)
        end()
      },
      (write) => write(frame(4) + frame(5)),
    )
    const news = postern.followBus({ ...PLACE, after: 'm0' })
    expect(await take(news, 5)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
    expect(opened.values).toEqual(['m0', 'm2', 'm3'])
  })

  it('begins with the first entry where there was none, though it is cut off before that comes', async () => {
    const { postern, opened } = await follow(
      (write, end) => {
        write('retry: 1\n\n')
        end()
      },
      (write, end) => {
        write('id: 0\n\n')
        end()
      },
      (write) => write(frame(1)),
    )
    for await (const { entry, cursor } of postern.followBus(PLACE)) {
      expect({ cursor, entry }).toEqual({
        cursor: 'm1',
        entry: { msg_id: 'm1', ts: '2026-01-01T00:00:00Z', type: 'FACT', ...PLACE, body: 'said 1' },
      })
      break
    }
    expect(opened.values).toEqual(['', '', '0'])
  })

  it('says where something may have been missed', async () => {
    const gap = 'id: m7\n\nevent: gap\ndata: {"after":"m7"}\n\n'
    const { postern } = await follow((write) => write(gap + frame(9)))
    expect(await take(postern.followBus({ ...PLACE, after: 'm7' }), 2)).toEqual([null, 'm9'])
  })

  it('hears a real server, two buses in one too', async () => {
    const { url, served, token } = await openServer()
    const { bus } = served.postern
    await bus.post({ ...PLACE, body: 'before' })
    const [alone, both] = [await bus.read(PLACE), await bus.read({ ...PLACE, merged: true })]
    const postern = await connectPostern({ url, token: await token() })
    onTestFinished(() => postern.close())
    const iterators = [
      postern.followBus({ ...PLACE, after: alone.cursor ?? '' })[Symbol.asyncIterator](),
      postern.followBus({ ...PLACE, after: both.cursor ?? '', merged: true })[Symbol.asyncIterator](),
    ]
    const first = iterators.map((each) => each.next())
    const { msg_id } = await bus.post({ ...PLACE, body: 'after' })
    for (const { value } of await Promise.all(first)) expect(value).toMatchObject({ entry: { msg_id, body: 'after' } })
    const after = await bus.post({ project_id: 'p', body: 'for all tasks' })
    const second = await iterators[1]?.next()
    expect(second?.value).toMatchObject({ entry: { msg_id: after.msg_id }, cursor: `${after.msg_id},${msg_id}` })
    for (const each of iterators) await each.return?.()
    const nowhere = postern.followBus({ project_id: 'q' })[Symbol.asyncIterator]().next()
    await expect(nowhere).rejects.toMatchObject({ code: 'BUS_NOT_FOUND' })
  })

  it('goes on after any entry, whatever others have called it and however large it is', async () => {
    const { url, served, token, busRoot } = await openServer()
    await served.postern.bus.post({ ...PLACE, body: 'before' })
    const postern = await connectPostern({ url, token: await token() })
    onTestFinished(() => postern.close())
    const [{ cursor }, names] = [await postern.bus.read(PLACE), ['note 7% é', 'a%20b', 'last']]
    for (const name of names) {
      const header = `msg_id: ${name}\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p`
      const body = 'x'.repeat(3 * 1024 * 1024)
      appendFileSync(join(busRoot, 'p', 't', 'TASK-MESSAGE-BUS.md'), `---\n${header}\n---\n${body}\n`)
    }
    let after = cursor ?? ''
    for (const name of names) {
      for await (const news of postern.followBus({ ...PLACE, after })) {
        expect([news.entry?.msg_id, news.cursor]).toEqual([name, name])
        after = news.cursor
        break
      }
    }
  })

  it('says so where the entry that was seen last is gone', async () => {
    const { url, served, token } = await openServer()
    await served.postern.bus.post({ ...PLACE, body: 'here' })
    const postern = await connectPostern({ url, token: await token() })
    onTestFinished(() => postern.close())
    const [gap] = await take(postern.followBus({ ...PLACE, after: 'MSG-gone' }), 1)
    expect(gap).toBe(null)
  })

  it('ends with the signal', async () => {
    const { postern, opened } = await follow((write) => write('retry: 1\n\n'))
    const stopper = new AbortController()
    const following = take(postern.followBus({ ...PLACE, after: 'm0', signal: stopper.signal }), 1)
    await opened.fired
    stopper.abort()
    expect(await following).toEqual([])
  })
})
