import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { isPending, pendingForForeign, recordForeignTake } from '../../core/inbox/foreign-consumers.ts'
import { createPostern } from '../../core/postern.ts'
import { readConfig } from '../../host/config/config.ts'
import { openContext } from '../../host/open/context.ts'
import { openStore } from '../../host/open/store.ts'
import { createDoorbell } from '../../wires/local/doorbell.ts'

const DAY_MS = 24 * 3_600_000

async function openInbox() {
  const home = temporaryFolder()
  const time = { now: Date.UTC(2026, 0, 1) }
  const config = readConfig({ flags: { home }, env: {}, cwd: home })
  const { store } = await openStore(config, { now: () => time.now })
  const wire = createDoorbell({ folder: join(home, 'bells') })
  const { ctx, close } = openContext(store, wire, { now: () => time.now, upkeep: false, home })
  const postern = createPostern(ctx, close)
  onTestFinished(() => close())
  await postern.agents.add({ id: 'quinn' })
  const push = async (content: string) => (await postern.inbox.push({ to: ['quinn'], content })).id
  const pending = async () => (await pendingForForeign(ctx, { agent: 'quinn', limit: 100 })).map(({ id }) => id)
  const popped = (...ids: string[]) =>
    recordForeignTake(ctx, { agent: 'quinn', ids, via: 'redis', evidence: 'popped from a list' })
  const stateOf = async (id: string) => (await postern.inbox.trace({ id })).deliveries[0]?.state
  return { ctx, time, postern, push, pending, popped, stateOf }
}

describe('a message for a foreign consumer', () => {
  it('is pending until it is popped, then offered, and seen only when it is acknowledged', async () => {
    const { postern, push, pending, popped, stateOf } = await openInbox()
    const ids = [await push('one'), await push('two')]
    const broadcast = (await postern.inbox.push({ to: ['all'], content: 'to everybody' })).id
    expect(await pending()).toEqual([...ids, broadcast])
    await popped(ids[0] ?? '')
    expect(await pending()).toEqual([ids[1], broadcast])
    expect(await stateOf(ids[0] ?? '')).toBe('offered')
    await postern.inbox.ack({ agent: 'quinn', ids: [ids[0] ?? ''] })
    expect(await stateOf(ids[0] ?? '')).toBe('acted')
  })

  it('is offered once, however often it is reported as popped', async () => {
    const { postern, push, popped } = await openInbox()
    const id = await push('one')
    await popped(id, id, 'msg_00000000000000000000000000')
    await popped(id)
    const { deliveries } = await postern.inbox.trace({ id })
    expect(deliveries[0]).toMatchObject({ state: 'offered', attempt: 1 })
    expect(deliveries[0]?.steps.filter(({ step }) => step === 'popped')).toHaveLength(1)
  })

  it('is not offered again if nobody acknowledges it, and ends with its retention', async () => {
    const { time, postern, push, pending, popped, stateOf } = await openInbox()
    const id = await push('one')
    await popped(id)
    time.now += 29 * DAY_MS
    await postern.upkeep.run()
    expect([await pending(), await stateOf(id)]).toEqual([[], 'offered'])
    const why = async () => (await postern.inbox.trace({ id })).why
    expect(await why()).toMatch(/^It was popped from the list of quinn; only an acknowledgement .* it is over in 1d\.$/)
    time.now += 2 * DAY_MS
    await postern.upkeep.run()
    expect([await pending(), await stateOf(id)]).toEqual([[], 'expired'])
    expect(await why()).toBe('It was popped from the list of quinn, and never acknowledged.')
  })

  it('is pending again if its offer is released', async () => {
    const { postern, push, pending, popped } = await openInbox()
    const id = await push('one')
    await popped(id)
    const { deliveries } = await postern.inbox.trace({ id })
    await postern.inbox.release({ offerId: deliveries[0]?.offerId ?? '', reason: 'the consumer has lost it' })
    expect(await pending()).toEqual([id])
  })

  it('is no longer pending once it was cancelled or has expired', async () => {
    const { ctx, time, postern, push } = await openInbox()
    const cancelled = await push('one')
    const { id: brief } = await postern.inbox.push({ to: ['quinn'], content: 'two', ttlMs: 1_000 })
    await postern.inbox.cancel({ id: cancelled })
    expect([await isPending(ctx, 'quinn', cancelled), await isPending(ctx, 'quinn', brief)]).toEqual([false, true])
    time.now += 2_000
    expect(await isPending(ctx, 'quinn', brief)).toBe(false)
  })
})
