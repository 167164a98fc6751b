import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PATIENTLY } from '../../test/helpers/patience.ts'
import { FULL } from '../../test/helpers/tier.ts'
import { makeBench, settle } from '../../test/helpers/wires/courier-bench.ts'
import { ingestSpool } from '../host/spool.ts'
import { lockDescriptor } from '../kit/node/native/flock.ts'
import { spoolPath } from '../spool/path.ts'

describe('a copy', () => {
  it('is acknowledged once it is in the spool, and a second delivery adds nothing', async () => {
    const bench = await makeBench()
    const { hand } = await bench.startTaking()
    const copy = await bench.copyOf(await bench.push('first'))
    await hand(copy)
    expect(bench.spooled()).toEqual(['first'])
    await hand(copy)
    expect(bench.spooled()).toEqual(['first'])
  })

  it('of a seen message is not spooled again, as after a replay of the wire', async () => {
    const bench = await makeBench()
    const copy = await bench.copyOf(await bench.push('seen long ago'))
    await settle(bench)
    const { hand } = await bench.startTaking()
    await hand(copy)
    expect(bench.spooled()).toEqual([])
  })

  it('goes to the spool as it is while the store is down, and the store recognises it when it is back', async () => {
    const bench = await makeBench()
    const { hand } = await bench.startTaking()
    const id = await bench.push('first')
    const copy = await bench.copyOf(id)
    bench.store.isAway = true
    await hand(copy)
    await hand(copy)
    expect(bench.spooled()).toEqual(['first'])
    expect(bench.noted.filter((each) => each.includes('courier.store.away'))).toHaveLength(1)
    await ingestSpool(bench.postern, { agent: 'quinn', sessionId: 's', root: bench.root })
    const { messages } = await bench.postern.inbox.drain({ agent: 'quinn', sessionId: 's' })
    expect(messages.map((message) => message.id)).toEqual([id])
  })

  it('is spooled for a named session even if the store was never reached', async () => {
    const bench = await makeBench()
    const copy = await bench.copyOf(await bench.push('first'))
    bench.store.isAway = true
    const { hand } = await bench.startTaking({ sessionId: 'named' })
    await hand(copy)
    expect(bench.spooled('named')).toEqual(['first'])
  })

  it('that no inbox would accept is dropped and noted, however many there are', async () => {
    const bench = await makeBench()
    const { hand } = await bench.startTaking()
    for (let at = 0; at < 100; at++) await hand(`not JSON ${at}`)
    await hand(JSON.stringify({ content: 'x'.repeat(70_000), session: '../../../x' }))
    expect(bench.spooled()).toEqual([])
    expect(bench.noted.filter((each) => each.startsWith('courier.refused'))).toHaveLength(1)
  })

  it('that a spool refuses is left to the store, and spooled when the spool is repaired', async () => {
    const bench = await makeBench()
    const { hand } = await bench.startTaking()
    const copy = await bench.copyOf(await bench.push('first'))
    const path = spoolPath(bench.root, 's')
    mkdirSync(path, { recursive: true })
    await hand(copy)
    rmSync(path, { recursive: true })
    await hand(copy)
    expect(bench.spooled()).toEqual(['first'])
  })

  it('is not acknowledged while the spool cannot be written to', async () => {
    const bench = await makeBench()
    const { hand } = await bench.startTaking()
    const copy = await bench.copyOf(await bench.push('first'))
    const path = spoolPath(bench.root, 's')
    mkdirSync(dirname(path), { recursive: true })
    const held = openSync(path, 'w')
    expect(await lockDescriptor(held, 0)).toBe(true)
    await expect(hand(copy)).rejects.toMatchObject({ trouble: 'busy' })
    closeSync(held)
    await hand(copy)
    expect(bench.spooled()).toEqual(['first'])
  })
})

describe('an entry that the store does not know', () => {
  const foreign = JSON.stringify({ id: 'uuid-1', content: '<system-reminder>from afar</system-reminder>' })

  it('is stored, and spooled once like any other message', async () => {
    const bench = await makeBench()
    const { hand } = await bench.startTaking()
    await hand(foreign)
    await hand(foreign)
    await expect.poll(() => bench.spooled()).toEqual(['from afar'])
    const { items } = await bench.postern.inbox.list({ agent: 'quinn' })
    expect(items.map(({ content }) => content)).toEqual(['from afar'])
  })

  it('reaches the next session if the first one ended without reading it', async () => {
    const bench = await makeBench()
    const { hand } = await bench.startTaking()
    await hand(foreign)
    await bench.postern.sessions.end({ id: 's' })
    const { messages } = await bench.postern.inbox.drain({ agent: 'quinn', sessionId: 't' })
    expect(messages.map(({ content }) => content)).toEqual(['from afar'])
  })

  it('goes to the store once if there is no session', async () => {
    const bench = await makeBench()
    await bench.postern.sessions.end({ id: 's' })
    const { hand } = await bench.startTaking()
    await hand(foreign)
    await hand(foreign)
    const { items } = await bench.postern.inbox.list({ agent: 'quinn' })
    expect(items.map(({ content }) => content)).toEqual(['from afar'])
  })

  it('goes to the spool as it is while the store is down, and once to the store when it is back', async () => {
    const bench = await makeBench()
    const { hand } = await bench.startTaking()
    bench.store.isAway = true
    await hand(foreign)
    await hand(foreign)
    expect(bench.spooled()).toEqual(['<system-reminder>from afar</system-reminder>'])
    bench.store.isAway = false
    await ingestSpool(bench.postern, { agent: 'quinn', sessionId: 's', root: bench.root })
    await hand(foreign)
    const { items } = await bench.postern.inbox.list({ agent: 'quinn' })
    expect(items.map(({ content }) => content)).toEqual(['from afar'])
  })

  it('is spooled for the next session if it came while the store was down', FULL, async () => {
    const bench = await makeBench()
    const { courier, hand } = await bench.startTaking({ heartbeatMs: 300 })
    bench.store.isAway = true
    await hand(foreign)
    bench.store.isAway = false
    await bench.postern.sessions.end({ id: 's' })
    await bench.postern.sessions.begin({ id: 't', agent: 'quinn', project: bench.root, pid: process.pid })
    await expect.poll(() => bench.spooled('t'), PATIENTLY).toEqual(['from afar'])
    await courier.close()
  })

  it('is not acknowledged if neither store nor spool can take it', async () => {
    const bench = await makeBench()
    await bench.postern.sessions.end({ id: 's' })
    const { hand } = await bench.startTaking()
    bench.store.isAway = true
    await expect(hand(foreign)).rejects.toThrow('neither')
  })
})
