import { describe, expect, it } from 'vitest'
import { type Received, startStub } from '../../test/helpers/server/stub-server.ts'
import { connectPostern } from './connect.ts'

async function connect(answer: (received: Received, at: number) => void) {
  let at = 0
  const { url, received } = await startStub((each) => answer(each, at++))
  const keys = () => received.map(({ headers }) => headers['idempotency-key'])
  return { postern: await connectPostern({ url, token: 't' }), received, keys }
}

const PUSHED = { id: 'msg_1', duplicate: false, recipients: [] }

describe('an answer that was lost', () => {
  it('is asked for once more under the same key, so that what was done is not done again', async () => {
    const { postern, received, keys } = await connect(({ json, drop }, at) => (at === 0 ? drop() : json(PUSHED)))
    expect(await postern.inbox.push({ to: ['quinn'], content: 'once' })).toEqual(PUSHED)
    expect(received).toHaveLength(2)
    expect(received[1]?.body).toEqual(received[0]?.body)
    expect(keys()[0]).toMatch(/^[0-9A-Z]{26}$/)
    expect(keys()[1]).toBe(keys()[0])
  })

  it('is asked for again while the first request is still being answered', async () => {
    const busy = { code: 'IDEMPOTENCY_BUSY', details: { key: 'k' } }
    const { postern, keys } = await connect(({ json, drop }, at) => {
      if (at === 0) drop()
      else if (at < 3) json(busy, 409)
      else json(PUSHED)
    })
    expect(await postern.inbox.push({ to: ['quinn'], content: 'once' })).toEqual(PUSHED)
    expect(new Set(keys()).size).toBe(1)
    expect(keys()).toHaveLength(4)
  })

  it('is asked for again where the request only reads', async () => {
    const { postern, keys } = await connect(({ json, drop }, at) => (at === 0 ? drop() : json([])))
    expect(await postern.agents.list()).toEqual([])
    expect(keys()).toEqual([undefined, undefined])
  })

  it('is given up at once where it held a secret, or where nobody could know it again', async () => {
    const { postern, received } = await connect(({ drop }) => drop())
    const proof = { key: 'sk_1' }
    for (const attempt of [
      () => postern.tokens.create({ scope: 'agent:quinn' }),
      () => postern.services.rotate({ id: 'svc_1' }),
      () => postern.services.trigger({ agent: 'quinn', proof, payload: {} }),
      () => postern.agents.remove({ id: 'quinn' }),
      () => postern.inbox.push({ to: ['quinn'], content: 'a', dedupKey: '' }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    }
    expect(received).toHaveLength(5)
    const event = postern.services.trigger({ agent: 'quinn', proof, payload: {}, deliveryId: 'd-1' })
    await expect(event).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(received).toHaveLength(7)
    expect(received[6]).toMatchObject({ body: { payload: {}, deliveryId: 'd-1' }, headers: { 'x-secret-key': 'sk_1' } })
  })

  it('is given up the second time', async () => {
    const { postern, received } = await connect(({ drop }) => drop())
    await expect(postern.agents.list()).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(received).toHaveLength(2)
  })
})

describe('a key', () => {
  it('is another one for every call, and goes with none that may be repeated without', async () => {
    const { postern, keys } = await connect(({ json }) => json({ pending: 1 }))
    await postern.inbox.push({ to: ['quinn'], content: 'a' })
    await postern.inbox.push({ to: ['quinn'], content: 'a' })
    expect(new Set(keys()).size).toBe(2)
    await postern.inbox.push({ to: ['quinn'], content: 'a', dedupKey: 'ci-42' })
    await postern.inbox.confirm({ offerId: 'off_1', evidence: 'seen' })
    await postern.inbox.wait({ agent: 'quinn' })
    expect(keys().slice(2)).toEqual([undefined, undefined, undefined])
  })

  it('is of no use where the server has refused: that is an answer', async () => {
    const { postern, received } = await connect(({ json }) => json({ code: 'INBOX_FULL', details: {} }, 429))
    await expect(postern.inbox.push({ to: ['quinn'], content: 'a' })).rejects.toMatchObject({ code: 'INBOX_FULL' })
    expect(received).toHaveLength(1)
  })
})
