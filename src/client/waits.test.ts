import { describe, expect, it } from 'vitest'
import { type Received, startStub } from '../../test/helpers/server/stub-server.ts'
import { createSignal } from '../../test/helpers/signal.ts'
import { connectPostern } from './connect.ts'

async function connect(answer: (received: Received, at: number) => void) {
  let at = 0
  const { url, received } = await startStub((each) => answer(each, at++))
  const bodies = () => received.map(({ body }) => body)
  return { postern: await connectPostern({ url, token: 't' }), bodies }
}

const TIMED_OUT = { code: 'TIMED_OUT', details: { message: 'Not yet.', next: 'Wait on.' } }

const STOPPING = { code: 'SERVER_UNAVAILABLE', details: { url: 'x', reason: 'it is being stopped' } }

describe('waiting', () => {
  it('takes as many requests as it needs, none longer than servers wait', async () => {
    const { postern, bodies } = await connect(({ json }) => json({ pending: 0 }))
    expect(await postern.inbox.wait({ agent: 'quinn', timeoutMs: 120_000 })).toEqual({ pending: 0 })
    expect(bodies()).toEqual([50_000, 50_000, 20_000].map((timeoutMs) => ({ agent: 'quinn', timeoutMs })))
  })

  it('ends with the first answer', async () => {
    const { postern, bodies } = await connect(({ json }, at) => json({ pending: at }))
    expect(await postern.inbox.wait({ agent: 'quinn' })).toEqual({ pending: 1 })
    expect(bodies()).toHaveLength(2)
  })

  it('goes on where the server says that it was not long enough, and passes that on at the end', async () => {
    const { postern, bodies } = await connect(({ json }) => json(TIMED_OUT, 408))
    const receipt = postern.inbox.waitFor({ id: 'msg_1', stage: 'seen', timeoutMs: 60_000 })
    await expect(receipt).rejects.toMatchObject({ code: 'TIMED_OUT', message: 'Not yet.' })
    expect(bodies()).toEqual([50_000, 10_000].map((timeoutMs) => ({ stage: 'seen', timeoutMs })))
    await expect(postern.decisions.await({ id: 'dec_1', timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMED_OUT' })
    expect(bodies()).toHaveLength(3)
  })

  it('asks again while its time lasts where the server is being stopped', async () => {
    const { postern, bodies } = await connect(({ json, drop }, at) =>
      at === 0 ? json(STOPPING, 503) : at === 1 ? drop() : json({ pending: 2 }),
    )
    expect(await postern.inbox.wait({ agent: 'quinn', timeoutMs: 49_000 })).toEqual({ pending: 2 })
    // What failed takes only the time that has really passed.
    const [, , again] = bodies() as readonly { readonly timeoutMs: number }[]
    expect(again?.timeoutMs).toBeGreaterThan(20_000)
    expect(again?.timeoutMs).toBeLessThan(49_000)
  })

  it('passes on that the server is away where its time does not last', async () => {
    const { postern, bodies } = await connect(({ json }) => json(STOPPING, 503))
    const wait = postern.decisions.await({ id: 'dec_1', timeoutMs: 100 })
    await expect(wait).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(bodies()).toHaveLength(1)
  })

  it('ends its pause with its connection', async () => {
    const asked = createSignal()
    const { postern } = await connect(({ json }) => {
      json(STOPPING, 503)
      asked.fire()
    })
    const wait = expect(postern.inbox.wait({ agent: 'quinn' })).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    await asked.fired
    await postern.close()
    await wait
  })

  it('looks once more when it is stopped, and does not wait for that', async () => {
    const waiting = createSignal()
    const { postern, bodies } = await connect(({ json }, at) => (at === 0 ? waiting.fire() : json({ pending: 3 })))
    const stopper = new AbortController()
    const wait = postern.inbox.wait({ agent: 'quinn', signal: stopper.signal })
    await waiting.fired
    stopper.abort()
    expect(await wait).toEqual({ pending: 3 })
    expect(bodies()).toEqual([
      { agent: 'quinn', timeoutMs: 50_000 },
      { agent: 'quinn', timeoutMs: 0 },
    ])
  })

  it('does not wait at all where it was stopped before', async () => {
    const { postern, bodies } = await connect(({ json }) => json({ pending: 0 }))
    expect(await postern.inbox.wait({ agent: 'quinn', signal: AbortSignal.abort() })).toEqual({ pending: 0 })
    expect(bodies()).toEqual([{ agent: 'quinn', timeoutMs: 0 }])
  })

  it('for events goes on from where the last look ended', async () => {
    const page = (cursor: string, items: readonly object[] = []) => ({ items, cursor, hasGap: false })
    const event = { cursor: 'c3', at: '2026-01-01T00:00:00.000Z', type: 'gate.resolved', subject: 'gate_1' }
    const { postern, bodies } = await connect(({ json }, at) => json(at < 2 ? page(`c${at + 1}`) : page('c3', [event])))
    const found = await postern.events.wait({ types: ['gate.*'], timeoutMs: 200_000 })
    expect(found.items).toEqual([{ ...event, at: Date.UTC(2026, 0, 1) }])
    expect(bodies()).toMatchObject([{ types: ['gate.*'] }, { after: 'c1' }, { after: 'c2' }])
  })

  it('for entries goes on from where the last look ended, and from the beginning while there are none', async () => {
    const page = (cursor: string | null, items: readonly object[] = []) => ({
      items,
      cursor,
      hasGap: false,
      faults: [],
    })
    const entry = { msg_id: 'MSG-2', ts: '2026-01-01T00:00:00Z', type: 'FACT', project_id: 'p', body: 'x' }
    const pages = [page(null), page('MSG-1'), page('MSG-2', [entry])]
    const { postern, bodies } = await connect(({ json }, at) => json(pages[at]))
    const found = await postern.bus.wait({ project_id: 'p', types: ['FACT'], timeoutMs: 200_000 })
    expect(found.items).toEqual([entry])
    const wanted = { project_id: 'p', types: ['FACT'], timeoutMs: 50_000 }
    expect(bodies()).toEqual([wanted, wanted, { ...wanted, after: 'MSG-1' }])
  })

  it('looks once more also where it was to end soon', async () => {
    const waiting = createSignal()
    const { postern } = await connect(({ json }, at) => (at === 0 ? waiting.fire() : json({ pending: 3 })))
    const stopper = new AbortController()
    const wait = postern.inbox.wait({ agent: 'quinn', timeoutMs: 1_000, signal: stopper.signal })
    await waiting.fired
    stopper.abort()
    expect(await wait).toEqual({ pending: 3 })
  })

  it('does not ask again and again what cannot be asked at all', async () => {
    const { postern, bodies } = await connect(({ json }) => json({ pending: 0 }))
    const circular: Record<string, unknown> = {}
    circular['agent'] = circular
    await expect(postern.inbox.wait(circular as never)).rejects.toThrow('circular')
    const nothing = { id: Object.create(null), stage: 'seen' } as never
    await expect(postern.inbox.waitFor(nothing)).rejects.toThrow(TypeError)
    expect(bodies()).toEqual([])
  })

  it('refuses what is no time', async () => {
    const { postern, bodies } = await connect(({ json }) => json({ code: 'VALUE_INVALID', details: {} }, 422))
    const wait = (timeoutMs: number) => postern.inbox.wait({ agent: 'quinn', timeoutMs })
    await expect(wait(-1)).rejects.toMatchObject({ code: 'VALUE_INVALID' })
    for (const timeoutMs of [Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(wait(timeoutMs)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    }
    expect(bodies()).toEqual([{ agent: 'quinn', timeoutMs: -1 }])
  })
})
