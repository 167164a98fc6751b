import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PATIENTLY } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { FULL } from '../../test/helpers/tier.ts'
import { makeBench } from '../../test/helpers/wires/courier-bench.ts'
import { spoolPath } from '../spool/path.ts'
import { createDoorbell } from '../wires/local/doorbell.ts'

describe('a courier', () => {
  it("spools pending mail at its start in seed 000's format, and later mail when it is rung", async () => {
    const bench = await makeBench()
    const id = await bench.push('first')
    await bench.start().started
    const [line = ''] = readFileSync(spoolPath(bench.root, 's'), 'utf8').split('\n')
    expect(line).toBe(await bench.copyOf(id))
    expect(JSON.parse(line)).toMatchObject({ id, content: 'first', dedup_key: id, priority: 2, source: 'local' })
    await bench.push('second')
    await expect.poll(() => bench.spooled()).toEqual(['first', 'second'])
    await bench.postern.inbox.push({ to: ['all'], content: 'to everybody' })
    await expect.poll(() => bench.spooled()).toEqual(['first', 'second', 'to everybody'])
  })

  it('spools more than a page, each message once, and nothing again after a restart', async () => {
    const bench = await makeBench()
    const messages = Array.from({ length: 250 }, (_, at) => ({ to: ['quinn'], content: `number ${at}` }))
    await bench.postern.inbox.pushMany({ messages })
    const first = bench.start()
    await first.started
    await first.close()
    await bench.start().started
    expect(bench.spooled()).toEqual(messages.map(({ content }) => content))
  })

  it('spools everything again for the next session', async () => {
    const bench = await makeBench()
    await bench.push('first')
    await bench.start().started
    await bench.postern.sessions.end({ id: 's' })
    await bench.postern.sessions.begin({ id: 't', agent: 'quinn', project: bench.root, pid: process.pid })
    await bench.push('second')
    await expect.poll(() => bench.spooled('t')).toEqual(['first', 'second'])
    await expect.poll(() => bench.spooled('s')).toEqual([])
    const { messages } = await bench.postern.inbox.drain({ agent: 'quinn', sessionId: 't' })
    expect(messages.map(({ content }) => content)).toEqual(['first', 'second'])
  })

  it('spools everything again after the spool was deleted', async () => {
    const bench = await makeBench()
    await bench.push('first')
    await bench.start().started
    rmSync(join(bench.root, '.runtime'), { recursive: true })
    await bench.push('second')
    await expect.poll(() => bench.spooled()).toEqual(['first', 'second'])
  })

  it('finds mail at its heartbeat if nobody rang', async () => {
    const bench = await makeBench()
    const deaf = createDoorbell({ folder: temporaryFolder() })
    onTestFinished(() => void deaf.close())
    await bench.start({ wire: deaf, heartbeatMs: 300 }).started
    await bench.push('unheard')
    await expect.poll(() => bench.spooled()).toEqual(['unheard'])
  })

  it('notes what is wrong with the spool, and continues', async () => {
    const bench = await makeBench()
    writeFileSync(join(bench.root, '.runtime'), 'a file')
    await bench.push('first')
    const courier = bench.start({ heartbeatMs: 300 })
    await courier.started
    expect(bench.noted.join()).toContain('courier.spool')
    rmSync(join(bench.root, '.runtime'))
    await expect.poll(() => bench.spooled()).toEqual(['first'])
  })

  it('notes once that the root does not exist', async () => {
    const bench = await makeBench()
    const root = join(bench.root, 'mistyped')
    await bench.push('first')
    const courier = bench.start({ root, heartbeatMs: 200 })
    await courier.started
    expect(bench.noted).toEqual([`courier.spool there is no folder ${root}`])
    mkdirSync(root)
    await expect.poll(() => existsSync(spoolPath(root, 's'))).toBe(true)
    expect(bench.noted).toHaveLength(1)
  })

  it('asks a store that is back even if the clock was set back meanwhile', FULL, async () => {
    const bench = await makeBench()
    const clock = { now: 2_000_000_000_000 }
    bench.store.isAway = true
    const courier = bench.start({ now: () => clock.now, heartbeatMs: 300 })
    await courier.started
    clock.now -= 3_600_000
    bench.store.isAway = false
    await bench.push('first')
    await expect.poll(() => bench.spooled(), PATIENTLY).toEqual(['first'])
  })

  it('asks a moment later if it is rung just after the store failed', FULL, async () => {
    const bench = await makeBench()
    bench.store.isAway = true
    await bench.start().started
    bench.store.isAway = false
    await bench.push('first')
    await expect.poll(() => bench.spooled(), PATIENTLY).toEqual(['first'])
  })

  it('spools mail that no ring announced when it is woken', async () => {
    const bench = await makeBench()
    const deaf = { listen: async () => ({ close() {} }), health: async () => ({ isUp: true, detail: '' }) }
    const courier = bench.start({ wire: deaf })
    await courier.started
    await bench.push('unheard')
    courier.wake()
    await expect.poll(() => bench.spooled(), PATIENTLY).toEqual(['unheard'])
  })

  it('may be closed twice, and spools nothing afterwards', async () => {
    const bench = await makeBench()
    const courier = bench.start()
    await Promise.all([courier.close(), courier.close()])
    await bench.push('late')
    expect(bench.spooled()).toEqual([])
  })
})

describe('an agent', () => {
  it('is woken if its session is at rest, and left alone while it is busy', async () => {
    const bench = await makeBench()
    await bench.start().started
    await bench.note('prompt.submit')
    await bench.push('while it works')
    await expect.poll(() => bench.spooled()).toHaveLength(1)
    expect(bench.woken).toHaveLength(0)
    await bench.note('turn.stop')
    await bench.postern.sessions.setStop({ id: 's', outcome: 'granted' })
    await bench.push('while it rests')
    await expect.poll(() => bench.woken.length).toBeGreaterThan(0)
  })

  it('is woken if it came to rest after its mail had arrived, without another ring', async () => {
    const bench = await makeBench()
    await bench.start().started
    await bench.note('prompt.submit')
    await bench.push('at the last moment')
    await expect.poll(() => bench.spooled()).toHaveLength(1)
    await bench.note('turn.stop')
    await bench.postern.sessions.setStop({ id: 's', outcome: 'granted' })
    await expect.poll(() => bench.woken.length, PATIENTLY).toBeGreaterThan(0)
  })

  it('is woken if it has no session, but not by mail of low priority', async () => {
    const bench = await makeBench()
    await bench.postern.sessions.end({ id: 's' })
    await bench.start().started
    await bench.postern.inbox.push({ to: ['quinn'], content: 'whenever', priority: 4 })
    const courier = bench.start({ heartbeatMs: 200 })
    await courier.started
    expect(bench.woken).toHaveLength(0)
    await bench.push('now')
    await expect.poll(() => bench.woken.length).toBeGreaterThan(0)
  })
})
