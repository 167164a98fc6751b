import { appendFileSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import type { Inbox, Postern } from '../model/postern.ts'
import { ingestSpool, inspectSpools, readSpoolWithoutStore, rememberShown, spoolPath } from './spool.ts'

const SESSION = 'ses-1'

async function open() {
  const root = temporaryFolder()
  const postern = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  const path = spoolPath(root, SESSION)
  mkdirSync(dirname(path), { recursive: true })
  const write = (...entries: (object | string)[]) =>
    appendFileSync(path, entries.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join(''))
  const ref = { sessionId: SESSION, root, agent: 'quinn' }
  return { postern, path, root, write, ref }
}

async function drain(postern: Postern): Promise<string[]> {
  const { offer, messages } = await postern.inbox.drain({ agent: 'quinn', maxMessages: 1_000 })
  if (offer) await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'test' })
  return messages.map(({ content }) => content)
}

describe('a spool that is ingested', () => {
  it("takes the seed's entry, without the tag around its content", async () => {
    const { postern, path, write, ref } = await open()
    write({
      id: 'uuid',
      type: 'decision',
      source: 'bd decision respond',
      content: '<system-reminder>Decision X resolved: Y</system-reminder>',
      priority: 2,
      timestamp: Date.now(),
      dedup_key: 'decision:hq-abc123',
      ttl_seconds: 600,
    })
    expect(await ingestSpool(postern, ref)).toEqual({ done: 1, kept: 0, quarantined: 0 })
    const { items } = await postern.inbox.list({ agent: 'quinn' })
    expect(items).toMatchObject([
      { content: 'Decision X resolved: Y', type: 'decision', dedupKey: 'decision:hq-abc123', from: { via: 'spool' } },
    ])
    expect(readFileSync(path, 'utf8')).toBe('')
  })

  it('puts aside what the store refuses, with its reason', async () => {
    const { postern, root, write, ref } = await open()
    write({ content: 'x'.repeat(70_000) }, { content: '<system-reminder> </system-reminder>' }, 'bad', {
      content: 'good',
    })
    expect(await ingestSpool(postern, ref)).toEqual({ done: 1, kept: 0, quarantined: 3 })
    expect(await drain(postern)).toEqual(['good'])
    const kept = readFileSync(join(root, '.runtime', 'inject-queue', 'quarantine', `${SESSION}.jsonl`), 'utf8')
    expect(kept).toContain('has 70000 bytes')
    expect(kept).toContain('The text is empty.')
  })

  it('leaves what the inbox has no room for where it is', async () => {
    const root = temporaryFolder()
    const postern = await openLocal(join(temporaryFolder(), 'postern.db'), {
      upkeep: false,
      limits: { pendingPerAgent: 3 },
    })
    onTestFinished(() => postern.close())
    await postern.agents.add({ id: 'quinn' })
    const path = spoolPath(root, SESSION)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, Array.from({ length: 8 }, (_, at) => `{"content":"${at}"}\n`).join(''))
    const shown: string[] = []
    while (readFileSync(path, 'utf8') !== '') {
      await ingestSpool(postern, { root, sessionId: SESSION, agent: 'quinn' })
      const batch = await drain(postern)
      expect(batch.length).toBeGreaterThan(0)
      shown.push(...batch)
    }
    expect(shown).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  })

  it('is taken whole though it holds more than one take looks at', async () => {
    const { postern, path, write, ref } = await open()
    write(...Array.from({ length: 2_500 }, (_, at) => ({ content: `${at}` })))
    expect(await ingestSpool(postern, { ...ref, patienceMs: 60_000 })).toMatchObject({ done: 2_500 })
    expect(readFileSync(path, 'utf8')).toBe('')
    expect((await postern.agents.show({ id: 'quinn' })).pending).toBe(2_500)
  })

  it('is taken in small parts by who has little time, so that whoever is cut short has got somewhere', async () => {
    const { postern, write, ref } = await open()
    write(...Array.from({ length: 1_500 }, (_, at) => ({ content: `${at}` })))
    const sizes: number[] = []
    let seconds = 0
    vi.spyOn(process, 'uptime').mockImplementation(() => seconds)
    onTestFinished(() => void vi.restoreAllMocks())
    const taking = async (delayMs: number) => {
      sizes.splice(0)
      const ingest: Inbox['ingest'] = async (input) => {
        sizes.push(input.entries.length)
        seconds += delayMs / 1000
        return postern.inbox.ingest(input)
      }
      await ingestSpool({ inbox: { ingest } }, { ...ref, patienceMs: 1_000 })
    }
    await taking(600)
    expect(sizes).toEqual([50, 50])
    await taking(0)
    expect(sizes[0]).toBe(50)
    expect(Math.max(...sizes)).toBeGreaterThan(50)
  })

  it('is taken whole by a store that takes only a few at once', async () => {
    const root = temporaryFolder()
    const postern = await openLocal(join(temporaryFolder(), 'postern.db'), {
      upkeep: false,
      limits: { pushesPerBatch: 3 },
    })
    onTestFinished(() => postern.close())
    await postern.agents.add({ id: 'quinn' })
    const path = spoolPath(root, SESSION)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, Array.from({ length: 8 }, (_, at) => `{"content":"${at}"}\n`).join(''))
    await ingestSpool(postern, { sessionId: SESSION, root, agent: 'quinn', patienceMs: 60_000 })
    expect((await postern.agents.show({ id: 'quinn' })).pending).toBe(8)
    expect(readFileSync(path, 'utf8')).toBe('')
  })

  it('stays as it is where the store fails', async () => {
    const { postern, path, write, ref } = await open()
    write({ content: 'one' }, 'bad')
    const before = readFileSync(path, 'utf8')
    await postern.close()
    await expect(ingestSpool(postern, ref)).rejects.toMatchObject({ name: 'PosternError' })
    await expect(ingestSpool(postern, { ...ref, agent: 'nobody' })).rejects.toThrow()
    expect(readFileSync(path, 'utf8')).toBe(before)
  })
})

describe('a spool that is read without the store', () => {
  it('shows what a drain would show, once, and the store hears of it', async () => {
    const { postern, write, ref } = await open()
    write(
      { content: 'low', priority: 3, id: 'a' },
      { content: '<system-reminder>now</system-reminder>', priority: 0, source: 'ci', id: 'b' },
      { content: 'over', timestamp: Date.now() - 10_000, ttl_seconds: 1, id: 'c' },
      { content: '', id: 'd' },
      'bad',
    )
    const copies = await readSpoolWithoutStore(ref)
    expect(copies.messages).toMatchObject([
      { content: 'now', from: { id: 'spool:ci', verified: false }, state: 'offered', form: 'whole', attempt: 1 },
      { content: 'low', id: expect.stringMatching(/^spool-[0-9a-f]{12}$/) },
    ])
    expect(copies.remaining).toBe(0)
    expect((await readSpoolWithoutStore(ref)).messages).toEqual([])
    await rememberShown({ ...ref, names: copies.names, evidence: 'shown from the spool' })
    expect((await readSpoolWithoutStore(ref)).messages).toEqual([])

    expect(await ingestSpool(postern, ref)).toEqual({ done: 3, kept: 0, quarantined: 2 })
    expect(await drain(postern)).toEqual([])
    const { items } = await postern.inbox.list({ agent: 'quinn', which: 'all' })
    expect(items.map(({ content, state }) => [content, state])).toEqual([
      ['low', 'seen'],
      ['now', 'seen'],
      ['over', 'expired'],
    ])
  })

  it('keeps to the budget of a drain, and tells how many more there are', async () => {
    const { write, ref } = await open()
    write(...Array.from({ length: 30 }, (_, at) => ({ content: `${at}`, priority: at < 25 ? 2 : 0 })))
    const first = await readSpoolWithoutStore(ref)
    expect(first.messages.map(({ content }) => content).slice(0, 6)).toEqual(['25', '26', '27', '28', '29', '0'])
    expect(first.messages).toHaveLength(20)
    expect(first.remaining).toBe(10)
    const urgent = await readSpoolWithoutStore({ ...ref, maxPriority: 1 })
    expect(urgent).toMatchObject({ messages: [], remaining: 10 })
    expect((await readSpoolWithoutStore({ ...ref, maxCharacters: 700 })).messages.length).toBeLessThan(10)
  })

  it('looks at no more critical entries at once than a drain does', async () => {
    const { write, ref } = await open()
    write(...Array.from({ length: 500 }, (_, at) => ({ content: `${at}`, priority: 0 })), { content: 'x', priority: 4 })
    const { messages, remaining } = await readSpoolWithoutStore(ref)
    expect(messages.map(({ content }) => content)).toEqual(Array.from({ length: 220 }, (_, at) => `${at}`))
    expect(remaining).toBe(281)
  })

  it('shows again what was not remembered', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { postern, write, ref } = await open()
    write({ content: 'one' })
    await readSpoolWithoutStore(ref)
    expect(await ingestSpool(postern, ref)).toMatchObject({ done: 0, kept: 1 })
    vi.advanceTimersByTime(30_000)
    expect((await readSpoolWithoutStore(ref)).messages).toMatchObject([{ content: 'one', attempt: 2 }])
    vi.advanceTimersByTime(30_000)
    expect(await ingestSpool(postern, ref)).toMatchObject({ done: 1, kept: 0 })
    expect(await drain(postern)).toEqual(['one'])
  })
})

describe('an inspection of the spools', () => {
  it('says nothing where there is nothing to say', async () => {
    const { root, write } = await open()
    expect(inspectSpools(temporaryFolder(), Date.now())).toEqual([])
    write({ content: 'just written' })
    expect(inspectSpools(root, Date.now())).toEqual([])
  })

  it('names what is in quarantine, and what nobody takes', async () => {
    const { postern, path, root, write, ref } = await open()
    write('bad')
    await ingestSpool(postern, ref)
    write({ content: 'left' })
    utimesSync(path, new Date(0), new Date(0))
    expect(existsSync(path)).toBe(true)
    expect(inspectSpools(root, Date.now())).toMatchObject([
      { name: 'spool.quarantine', ok: false },
      { name: 'spool.waiting', ok: false, detail: expect.stringContaining(SESSION) },
    ])
  })
})
