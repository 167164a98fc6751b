import { expect } from 'vitest'
import type { IngestEntry } from '../../src/model/ingest.ts'
import type { Postern } from '../../src/model/postern.ts'
import { provenanceLine } from '../../src/render/provenance.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, read, refused, show, stateOf, stepsOf, tell } from './suite.ts'

const ingest = (postern: Postern, ...entries: IngestEntry[]) => postern.inbox.ingest({ agent: 'quinn', entries })
const outcomes = async (postern: Postern, ...entries: IngestEntry[]) =>
  (await ingest(postern, ...entries)).map(({ outcome }) => outcome)
const everything = async (postern: Postern) => (await postern.inbox.list({ agent: 'quinn', which: 'all' })).items

conformance('ingest', ({ rule, open }) => {
  rule('stores entries in their order, with what they say of themselves', async () => {
    verifies('S000.spool.entry')
    const { postern, now } = await open()
    const results = await ingest(
      postern,
      { content: 'CI failed', type: 'alert', source: 'ci', priority: 1, dedupKey: 'ci-42', ttlMs: 1_000 },
      { content: 'hello', place: 'x:0' },
    )
    expect(results).toMatchObject([
      { outcome: 'stored', state: 'pending' },
      { outcome: 'stored', state: 'pending' },
    ])
    expect(await everything(postern)).toMatchObject([
      { content: 'CI failed', type: 'alert', priority: 1, dedupKey: 'ci-42', expiresAt: now() + 1_000, to: ['quinn'] },
      { content: 'hello', type: 'event', priority: 2, expiresAt: null, context: null },
    ])
    expect(await read(postern, 'quinn')).toEqual(['CI failed', 'hello'])
  })

  rule('knows the same key again, whatever is said under it', async () => {
    verifies('S000.spool.known')
    const { postern } = await open()
    await postern.inbox.push({ to: ['quinn'], content: 'pushed', dedupKey: 'k' })
    expect(await outcomes(postern, { content: 'something else', source: 'x', dedupKey: 'k' })).toEqual(['known'])
    const twice = { content: 'once', dedupKey: 'l' }
    expect(await outcomes(postern, twice, { ...twice, content: 'twice' })).toEqual(['stored', 'known'])
    expect(await outcomes(postern, twice)).toEqual(['known'])
    expect(await read(postern, 'quinn')).toEqual(['pushed', 'once'])
    expect(await outcomes(postern, twice)).toEqual(['known'])
  })

  rule('knows the same id again, be it the id of a message or of an entry', async () => {
    verifies('S000.spool.known')
    const { postern } = await open({ agents: ['quinn', 'rex'] })
    const id = await tell(postern, 'quinn', 'pushed')
    const forRex = await tell(postern, 'rex', 'for rex')
    expect(await outcomes(postern, { content: 'a copy', id })).toEqual(['known'])
    expect(await outcomes(postern, { content: 'a copy', dedupKey: `mail:${id}` })).toEqual(['known'])
    expect(await outcomes(postern, { content: 'by uuid', id: 'u-1' })).toEqual(['stored'])
    expect(await outcomes(postern, { content: 'by uuid', id: 'u-1' })).toEqual(['known'])
    expect(await outcomes(postern, { content: 'by uuid', id: 'u-1', dedupKey: 'new' })).toEqual(['known'])
    expect(await outcomes(postern, { content: 'of rex', id: forRex })).toEqual(['stored'])
    expect(await read(postern, 'quinn')).toEqual(['pushed', 'by uuid', 'of rex'])
  })

  rule('knows a copy of a broadcast that the agent has not taken up yet', async () => {
    verifies('S000.spool.known')
    const { postern } = await open()
    const { id } = await postern.inbox.push({ to: ['all'], content: 'to everybody' })
    expect(await outcomes(postern, { content: 'to everybody', id })).toEqual(['known'])
    expect(await outcomes(postern, { content: 'to everybody', dedupKey: `broadcast:${id}` })).toEqual(['known'])
    expect(await read(postern, 'quinn')).toEqual(['to everybody'])
  })

  rule('takes entries without key and id for different ones, but for one that comes again', async () => {
    verifies('S000.spool.known')
    const { postern } = await open()
    const [one, two] = [
      { content: 'same', place: 'batch:0' },
      { content: 'same', place: 'batch:20' },
    ]
    expect(await outcomes(postern, one, two, { content: 'same' }, { content: 'same' })).toEqual(Array(4).fill('stored'))
    expect(await outcomes(postern, one, two)).toEqual(['known', 'known'])
    expect(await read(postern, 'quinn')).toEqual(Array(4).fill('same'))
  })

  rule('stands in the way of no notice of ours, and knows a copy of one', async () => {
    verifies('S000.spool.nobody')
    const agents = ['quinn', { id: 'justin', kind: 'human' as const }]
    const { postern } = await open({ agents, limits: { attempts: 1 } })
    const bring = async (dedupKey: string) => {
      const results = await postern.inbox.ingest({ agent: 'justin', entries: [{ content: 'claimed', dedupKey }] })
      return results[0]?.outcome
    }
    for (const dedupKey of ['gate:gate_01J', 'decision:dec_01J', 'postern:x']) {
      expect(await bring(dedupKey)).toBe('stored')
      expect(await bring(dedupKey)).toBe('known')
    }
    // Justin is told of what could not be shown to quinn, though somebody claimed the key of that notice.
    const id = await tell(postern, 'quinn', 'never confirmed')
    const { offerId } = await show(postern, { agent: 'quinn' })
    const notice = `postern:dead:${id}:quinn:${offerId}`
    expect(await bring(notice)).toBe('stored')
    await postern.inbox.release({ offerId, reason: 'nobody read it' })
    const items = (await postern.inbox.list({ agent: 'justin', which: 'all' })).items
    expect(items.map(({ from, dedupKey }) => [from.id, dedupKey])).toEqual([
      ['spool:unknown', 'postern:spool:key:gate:gate_01J'],
      ['spool:unknown', 'postern:spool:key:decision:dec_01J'],
      ['spool:unknown', 'postern:spool:key:postern:x'],
      ['spool:unknown', `postern:spool:key:${notice}`],
      ['system', notice],
    ])
    const second = await tell(postern, 'quinn', 'never confirmed either')
    const again = await show(postern, { agent: 'quinn' })
    await postern.inbox.release({ offerId: again.offerId, reason: 'nobody read it' })
    expect(await bring(`postern:dead:${second}:quinn:${again.offerId}`)).toBe('known')
  })

  rule('can be nobody whom anybody knows', async () => {
    verifies('S000.spool.nobody')
    const { postern } = await open({ agents: ['quinn', { id: 'justin', kind: 'human' }] })
    const sources = [
      'quinn',
      'justin',
      'system',
      'spool',
      '',
      'bd decision respond',
      'x (human, verified, via cli) · y',
      '\0\ud800',
    ]
    await ingest(postern, ...sources.map((source) => ({ content: 'x', source })), { content: 'x' })
    const items = await everything(postern)
    expect(items.map(({ from }) => from.id)).toEqual([
      'spool:quinn',
      'spool:justin',
      'spool:system',
      'spool:spool',
      'spool:unknown',
      'spool:bd-decision-respond',
      'spool:x-human-verified-via-cli-y',
      'spool:unknown',
      'spool:unknown',
    ])
    for (const { from } of items) expect(from).toMatchObject({ kind: 'local', verified: false, via: 'spool' })
    expect(provenanceLine(items[5] ?? expect.fail(), '1')).toMatch(
      /^├─ 1 · from spool:bd-decision-respond \(local, unverified, via spool\) · event · normal · /,
    )
  })

  rule("counts a time to live from when the entry was written, by the store's clock", async () => {
    verifies('S000.spool.ttl')
    const { postern, now } = await open()
    const at = now()
    await ingest(
      postern,
      { content: 'half over', writtenAt: at - 5_000, ttlMs: 10_000, id: '1' },
      { content: 'from the future', writtenAt: at + 1e9, ttlMs: 10_000, id: '2' },
      { content: 'for ages', ttlMs: Number.MAX_SAFE_INTEGER, id: '3' },
    )
    const expiries = (await everything(postern)).map(({ expiresAt }) => (expiresAt ?? 0) - at)
    expect(expiries).toEqual([5_000, 10_000, 366 * 86_400_000])
  })

  rule('records what was over before it came as expired', async () => {
    verifies('S000.spool.ttl')
    const { postern, now } = await open()
    const [result] = await ingest(postern, { content: 'too late', writtenAt: now() - 20_000, ttlMs: 10_000, id: 'a' })
    expect(result).toMatchObject({ outcome: 'stored', state: 'expired' })
    const id = result?.id ?? ''
    expect(await stateOf(postern, id)).toBe('expired')
    expect(await stepsOf(postern, id)).toEqual(['stored', 'expired'])
    expect(await read(postern, 'quinn')).toEqual([])
    expect(await outcomes(postern, { content: 'too late', id: 'a' })).toEqual(['known'])
  })

  rule('says when an entry was written where that is long ago', async () => {
    const { postern, now } = await open()
    await ingest(
      postern,
      { content: 'old', writtenAt: now() - 3_600_000 },
      { content: 'new', writtenAt: now() - 1_000 },
    )
    const items = await everything(postern)
    expect(items.map(({ context }) => context)).toEqual([
      { writtenAt: new Date(now() - 3_600_000).toISOString() },
      null,
    ])
    expect(items.map(({ createdAt }) => createdAt)).toEqual([now(), now()])
  })

  rule('refuses what a push would refuse, each entry for itself, and says why', async () => {
    verifies('S000.spool.refused')
    const { postern } = await open({ limits: { contentBytes: 20 } })
    const results = await ingest(
      postern,
      { content: 'x'.repeat(21) },
      { content: ' \n ' },
      { content: 'a\0b' },
      { content: 'lone \ud800' },
      { content: 'x', type: 'NO TYPE' },
      { content: 'x', dedupKey: 'k'.repeat(301) },
      { content: 'x', id: 'k'.repeat(301) },
      { content: 'x', ttlMs: 0 },
      { content: 'x', priority: 9 as 4 },
      { content: 'good' },
    )
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(9).fill('refused'), 'stored'])
    expect(results.map(({ reason }) => reason?.slice(0, 12))).toEqual([
      'The content ',
      'The text is ',
      'The content ',
      'The content ',
      'The message ',
      'The dedup ke',
      'The id has 3',
      'The duration',
      'The priority',
      undefined,
    ])
    expect(await read(postern, 'quinn')).toEqual(['good'])
  })

  rule('leaves what a full inbox has no room for, and takes it when there is', async () => {
    verifies('S000.spool.refused')
    const { postern } = await open({ limits: { pendingPerAgent: 5 } })
    await tell(postern, 'quinn', 'first')
    const entries = Array.from({ length: 9 }, (_, at) => ({ content: `${at}`, id: `${at}` }))
    const bring = async () => {
      const results = await ingest(postern, ...entries)
      const firstFull = results.findIndex(({ outcome }) => outcome === 'full')
      // In order: what is left over is the end.
      if (firstFull >= 0) expect(results.slice(firstFull).every(({ outcome }) => outcome === 'full')).toBe(true)
      return results
    }
    const shown: string[] = []
    for (let rounds = 0; rounds < 20 && (await bring()).some(({ outcome }) => outcome === 'full'); rounds++) {
      expect((await postern.agents.show({ id: 'quinn' })).pending).toBeLessThanOrEqual(5)
      shown.push(...(await read(postern, 'quinn')))
    }
    shown.push(...(await read(postern, 'quinn')))
    expect(shown).toEqual(['first', ...entries.map(({ content }) => content)])
  })

  rule('stores what was shown already as seen, with the evidence', async () => {
    verifies('S000.spool.shown')
    const { postern, now } = await open()
    const shown = { at: now() - 5_000, evidence: 'shown from the spool' }
    const results = await postern.inbox.ingest({
      agent: 'quinn',
      sessionId: 'ses-1',
      entries: [
        { content: 'shown', id: 'a', shown },
        { content: 'not yet', id: 'b' },
        { content: 'also', id: 'c', shown },
      ],
    })
    expect(results.map(({ state }) => state)).toEqual(['seen', 'pending', 'seen'])
    const { deliveries } = await postern.inbox.trace({ id: results[0]?.id ?? '' })
    expect(deliveries).toMatchObject([{ state: 'seen', attempt: 1, sessionId: 'ses-1', seenAt: now() - 5_000 }])
    expect(deliveries[0]?.steps.at(-1)).toMatchObject({ step: 'seen', evidence: 'shown from the spool' })
    expect(await read(postern, 'quinn')).toEqual(['not yet'])
  })

  rule('does not show again what waits in the store and was shown from a copy', async () => {
    verifies('S000.spool.shown')
    const { postern, now } = await open()
    const shown = { at: now(), evidence: 'shown from the spool' }
    const byId = await tell(postern, 'quinn', 'by id')
    const { id: byKey } = await postern.inbox.push({ to: ['quinn'], content: 'by key', dedupKey: 'k' })
    const { id: broadcast } = await postern.inbox.push({ to: ['all'], content: 'to all' })
    await tell(postern, 'quinn', 'not shown')
    const copies = [{ id: byId }, { dedupKey: 'k' }, { id: broadcast }].map((each) => ({
      content: 'copy',
      ...each,
      shown,
    }))
    expect(await outcomes(postern, ...copies)).toEqual(['known', 'known', 'known'])
    for (const id of [byId, byKey, broadcast]) expect(await stateOf(postern, id, 'quinn')).toBe('seen')
    expect(await read(postern, 'quinn')).toEqual(['not shown'])
  })

  rule('wakes whoever waits', async () => {
    const { postern, again } = await open()
    const waiting = postern.inbox.wait({ agent: 'quinn', timeoutMs: 20_000 })
    await ingest(await again(), { content: 'hello' })
    expect(await waiting).toEqual({ pending: 1 })
  })

  rule('stores each entry once, though many bring the same at once', async () => {
    verifies('S000.spool.known')
    const { postern, again } = await open()
    const others = await Promise.all([again(), again(), again()])
    const entries = Array.from({ length: 30 }, (_, at) => ({
      content: `${at}`,
      ...(at % 2 ? { id: `${at}` } : { dedupKey: `k${at}` }),
    }))
    const results = await Promise.all(
      [postern, ...others].map((each, by) =>
        ingest(each, ...entries.map((entry) => ({ ...entry, source: `courier ${by}` }))),
      ),
    )
    expect(results.flat().filter(({ outcome }) => outcome === 'stored')).toHaveLength(30)
    expect(results.flat().filter(({ outcome }) => outcome === 'known')).toHaveLength(90)
    expect((await everything(postern)).map(({ content }) => content).sort()).toEqual(
      entries.map(({ content }) => content).sort(),
    )
  })

  rule('refuses a whole batch only where it is for nobody, or for another session', async () => {
    const { postern } = await open({ agents: ['quinn', 'rex'] })
    const entries = [{ content: 'x' }]
    await refused(postern.inbox.ingest({ agent: 'nobody', entries }), 'AGENT_NOT_FOUND')
    await refused(postern.inbox.ingest({ agent: 'No Id', entries }), 'AGENT_ID_INVALID')
    await refused(postern.inbox.ingest({ agent: 'quinn', sessionId: 'a/b', entries }), 'SESSION_INVALID')
    await postern.sessions.begin({ id: 'ses-rex', agent: 'rex' })
    await refused(postern.inbox.ingest({ agent: 'quinn', sessionId: 'ses-rex', entries }), 'SESSION_CONFLICT')
    expect(await postern.inbox.ingest({ agent: 'quinn', entries: [] })).toEqual([])
    await postern.agents.remove({ id: 'rex' })
    await refused(postern.inbox.ingest({ agent: 'rex', entries }), 'AGENT_NOT_FOUND')
    expect(await everything(postern)).toEqual([])
  })

  rule('stores as many at once as it may, and leaves the rest', async () => {
    verifies('S000.spool.refused')
    const { postern } = await open({ limits: { pushesPerBatch: 2 } })
    const entries = ['a', 'b', 'c'].map((content) => ({ content, id: content }))
    expect(await outcomes(postern, ...entries)).toEqual(['stored', 'stored', 'full'])
    expect(await outcomes(postern, ...entries.slice(2))).toEqual(['stored'])
  })

  rule('is not damped: a producer is no agent that answers another', async () => {
    const { postern } = await open({ limits: { pairBurst: 1, pairPerMinute: 1 } })
    const entries = Array.from({ length: 10 }, (_, at) => ({ content: `${at}` }))
    const results = await postern.as(caller('quinn')).inbox.ingest({ agent: 'quinn', entries })
    expect(results.every(({ state }) => state === 'pending')).toBe(true)
  })
})
