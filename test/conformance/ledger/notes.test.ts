import { expect } from 'vitest'
import { createLedgerCodec } from '../../../src/ledger/codec/create-codec.ts'
import type { PostNote } from '../../../src/model/ledger/ledgers.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { failing } from '../../helpers/store-with.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, read, refused } from '../suite.ts'
import { expectAllVerified, ledgerConfig, textsOn } from './telling.ts'

const TEAM = ['ada', 'engine', 'mindy', 'quinn', { id: 'justin', kind: 'human' }] as const
const ON_TASK = { entity_id: 'PROJ-12', entity_type: 'task' } as const

function post(postern: Postern, note: string, more: Partial<PostNote> = {}) {
  return postern.as(caller('quinn')).notes.post({ ...ON_TASK, note, ...more })
}

conformance('notes on work items', ({ rule, open }) => {
  rule('stands on the topic of the item, as the seed writes it, and each of notify is told once', async () => {
    verifies('S003.note')
    const { postern, now } = await open({ agents: TEAM })
    const posted = await post(postern, '**Blocked** by PROJ-11', { notify: ['mindy', 'justin', 'mindy'], priority: 2 })
    expect(posted).toMatchObject({
      ledger: { kind: 'local', public_consensus: false },
      entity: 'task:PROJ-12',
      publish: 'full',
      sequence: 1,
      parcel: null,
      notified: ['justin', 'mindy'],
      skipped: [],
    })
    const [text = ''] = await textsOn(postern, posted.topic_id)
    expect(JSON.parse(text)).toEqual({
      type: 'task.note',
      from_agent: 'quinn',
      note: '**Blocked** by PROJ-11',
      notify: ['mindy', 'justin'],
      priority: 2,
      note_id: expect.stringMatching(/^msg_/),
      ts: new Date(now()).toISOString(),
    })
    for (const agent of ['mindy', 'justin']) {
      const { messages } = await postern.inbox.drain({ agent })
      expect(messages).toMatchObject([
        {
          type: 'task.note',
          content: '**Blocked** by PROJ-11',
          payload: { note: '**Blocked** by PROJ-11' },
          from: { id: 'quinn' },
          ref: 'task:PROJ-12',
          priority: 1,
        },
      ])
    }
    expect(await read(postern, 'ada')).toEqual([])
    await expectAllVerified(postern)
  })

  rule('tells nobody of what it says itself, and skips who is not registered', async () => {
    verifies('S003.note')
    const { postern } = await open({ agents: TEAM })
    const posted = await post(postern, 'Done', { notify: ['quinn', 'mindy', 'nobody'] })
    expect(posted).toMatchObject({ notified: ['mindy'], skipped: ['nobody'] })
    expect(await read(postern, 'quinn')).toEqual([])
    expect(await read(postern, 'mindy')).toEqual(['Done'])
    expect(await post(postern, 'For the record')).toMatchObject({ notified: [], skipped: [], sequence: 2 })
  })

  rule('writes on one topic per item, whichever way it is named', async () => {
    verifies('S003.note')
    const { postern } = await open({ agents: TEAM })
    const first = await post(postern, 'one')
    const second = await post(postern, 'two', { entity_id: first.topic_id ?? '' })
    const phase = await post(postern, 'three', { entity_type: 'phase' })
    expect(second).toMatchObject({ topic_id: first.topic_id, sequence: 2, entity: 'task:PROJ-12' })
    expect(phase.topic_id).not.toBe(first.topic_id)
    const { topic } = await postern.ledger.read({ topic: 'task:PROJ-12' })
    expect(topic).toMatchObject({ id: first.topic_id, role: 'work', entity: 'task:PROJ-12', sequence: 2 })
  })

  rule('makes one topic though many write about an item for the first time at once', async () => {
    verifies('S003.note')
    const { postern } = await open({ agents: TEAM })
    const posted = await Promise.all(['a', 'b', 'c', 'd'].map((note) => post(postern, note, { notify: ['mindy'] })))
    expect(new Set(posted.map(({ topic_id }) => topic_id)).size).toBe(1)
    expect(posted.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3, 4])
    expect((await read(postern, 'mindy')).sort()).toEqual(['a', 'b', 'c', 'd'])
    await expectAllVerified(postern)
  })

  rule('lists notes oldest first, in pages, long ones whole', async () => {
    verifies('S003.note', 'S003.chunks')
    const { postern } = await open({ agents: TEAM })
    const long = `Ünï ${'😀'.repeat(1_500)}`
    for (const note of ['first', long, 'third']) await post(postern, note, { notify: ['mindy'] })
    await postern.ledger.emit({ topic: 'task:PROJ-12', type: 'task.started' })
    const all = await postern.notes.list(ON_TASK)
    expect(all.notes.map(({ note }) => note)).toEqual(['first', long, 'third'])
    expect(all.notes[0]).toMatchObject({ type: 'task.note', from_agent: 'quinn', verified: true, notify: ['mindy'] })
    expect(all.next).toBe(null)
    const page = await postern.notes.list({ ...ON_TASK, limit: 2 })
    expect(page.notes.map(({ note }) => note)).toEqual(['first', long])
    const rest = await postern.notes.list({ ...ON_TASK, limit: 2, after: page.next ?? 0 })
    expect(rest.notes.map(({ note }) => note)).toEqual(['third'])
    expect((await read(postern, 'mindy')).at(1)).toBe(long)
    await expectAllVerified(postern)
  })

  rule('has nothing to list where nobody has written yet', async () => {
    verifies('S003.note')
    const { postern } = await open({ agents: TEAM })
    expect(await postern.notes.list(ON_TASK)).toMatchObject({ topic_id: null, notes: [], next: null })
    expect(await postern.ledger.topics({})).toEqual([])
  })

  rule('leaves neither note nor topic where the store fails in the middle', async () => {
    verifies('S003.note')
    const { postern, again } = await open({ agents: TEAM })
    const broken = await again({ through: failing })
    await expect(post(broken, 'lost', { notify: ['mindy'] })).rejects.toThrow()
    expect(await postern.ledger.topics({})).toEqual([])
    expect(await post(postern, 'kept', { notify: ['mindy'] })).toMatchObject({ sequence: 1 })
    expect(await read(postern, 'mindy')).toEqual(['kept'])
  })

  rule('publishes only the hash of a note where that is set, and keeps its words here', async () => {
    verifies('S003.privacy', 'S003.note')
    const publish = { default: 'full', types: { 'task.note': 'hash', 'phase.note': 'off' } }
    const { postern } = await open({ agents: TEAM, ...ledgerConfig({ publish }) })
    const posted = await post(postern, 'between us', { notify: ['mindy'] })
    const [text = ''] = await textsOn(postern, posted.topic_id)
    expect(text).not.toContain('between us')
    expect(JSON.parse(text)).toMatchObject({ sha256: createLedgerCodec().sha256('between us'), notify: ['mindy'] })
    expect((await postern.notes.list(ON_TASK)).notes).toMatchObject([{ note: 'between us', verified: true }])
    const off = await post(postern, 'unwritten', { entity_type: 'phase', notify: ['mindy'] })
    expect(off).toMatchObject({ topic_id: null, sequence: null, notified: ['mindy'] })
    expect(await read(postern, 'mindy')).toEqual(['between us', 'unwritten'])
    await refused(post(postern, 'for nobody', { entity_type: 'phase', notify: ['stranger'] }), 'VALUE_INVALID')
    expect((await postern.ledger.topics({ role: 'work' })).map(({ entity }) => entity)).toEqual(['task:PROJ-12'])
  })

  rule('finds the words of a note as long as its entry, though nobody was told and all else is forgotten', async () => {
    verifies('S003.privacy', 'S003.note')
    const publish = { default: 'hash' }
    const { postern, advance } = await open({ agents: TEAM, ...ledgerConfig({ publish }) })
    await post(postern, 'for nobody')
    await post(postern, 'for mindy', { notify: ['mindy'] })
    await post(postern, 'for nobody')
    await read(postern, 'mindy')
    advance(400 * 86_400_000)
    await postern.upkeep.run()
    const { notes } = await postern.notes.list(ON_TASK)
    expect(notes.map(({ note }) => note)).toEqual(['for nobody', 'for mindy', 'for nobody'])
    const texts = await textsOn(postern, 'task:PROJ-12')
    expect(texts.join('')).not.toContain('for ')
  })

  rule('refuses what is no note, and writes nothing then', async () => {
    verifies('S003.note')
    const { postern } = await open({ agents: TEAM })
    const wrong = (more: object, note = 'x') => post(postern, note, more as never)
    await refused(wrong({}, ''), 'CONTENT_EMPTY')
    await refused(wrong({}, ' \n'), 'CONTENT_EMPTY')
    await refused(wrong({ entity_id: 'a b' }), 'ENTITY_INVALID')
    await refused(wrong({ entity_type: 'epic' }), 'VALUE_INVALID')
    await refused(wrong({ entity_id: '0.0.999999' }), 'LEDGER_TOPIC_NOT_FOUND')
    await refused(wrong({ notify: ['Not An Agent'] }), 'AGENT_ID_INVALID')
    await refused(wrong({ notify: Array.from({ length: 101 }, (_, n) => `a${n}`) }), 'VALUE_INVALID')
    await refused(wrong({ priority: 9 }), 'SEED_PRIORITY_INVALID')
    await refused(wrong({}, 'x'.repeat(21_000)), 'LEDGER_MESSAGE_TOO_LARGE')
    await refused(wrong({}, 'x'.repeat(70_000)), 'CONTENT_TOO_LARGE')
    await refused(postern.notes.list({ ...ON_TASK, limit: 0 }), 'VALUE_INVALID')
    await refused(postern.notes.list({ ...ON_TASK, after: -1 }), 'VALUE_INVALID')
    expect(await postern.ledger.topics({})).toEqual([])
    const { topic_id } = await post(postern, 'a task')
    await refused(wrong({ entity_id: topic_id, entity_type: 'phase' }), 'LEDGER_TOPIC_NOT_FOUND')
  })
})

conformance('events of work items', ({ rule, open }) => {
  rule("reach those of the seed's table with its priority, and stand on the topic", async () => {
    verifies('S003.routing')
    const { postern } = await open({ agents: TEAM })
    const quinn = postern.as(caller('quinn'))
    const event = { topic: 'task:PROJ-12', type: 'task.blocked', subject: 'No disk', payload: { text: 'It is full.' } }
    const posted = await quinn.ledger.emit(event)
    expect(posted).toMatchObject({ entity: 'task:PROJ-12', notified: ['justin', 'mindy'], skipped: [], sequence: 1 })
    for (const agent of ['mindy', 'justin']) {
      const { messages } = await postern.inbox.drain({ agent })
      expect(messages).toMatchObject([
        { type: 'task.blocked', subject: 'No disk', content: 'It is full.', priority: 0, ref: 'task:PROJ-12' },
      ])
    }
    const [text = ''] = await textsOn(postern, posted.topic_id)
    expect(JSON.parse(text)).toMatchObject({
      type: 'task.blocked',
      from_agent: 'quinn',
      subject: 'No disk',
      payload: { text: 'It is full.' },
      event_id: expect.stringMatching(/^msg_/),
    })
    expect(await quinn.ledger.emit({ topic: 'phase:ONE', type: 'phase.complete' })).toMatchObject({
      notified: ['engine', 'mindy'],
    })
    expect(await read(postern, 'engine')).toEqual(['phase.complete: phase:ONE'])
    await expectAllVerified(postern)
  })

  rule('skip who is not registered and whoever says it, and tell nobody what the table does not know', async () => {
    verifies('S003.routing')
    const { postern } = await open({ agents: ['mindy', 'quinn'] })
    const mindy = postern.as(caller('mindy'))
    const blocked = await mindy.ledger.emit({ topic: 'task:A', type: 'task.blocked' })
    expect(blocked).toMatchObject({ notified: [], skipped: ['justin'], sequence: 1 })
    const started = await mindy.ledger.emit({ topic: 'task:A', type: 'task.started' })
    expect(started).toMatchObject({ notified: [], skipped: [], sequence: 2 })
    expect(await read(postern, 'mindy')).toEqual([])
  })

  rule('go by the table of the configuration', async () => {
    verifies('S003.routing')
    const routing = { 'task.blocked': { to: ['ada'], priority: 4 }, 'task.started': { to: ['engine'], priority: 1 } }
    const { postern } = await open({ agents: TEAM, ...ledgerConfig({ routing }) })
    const emit = (type: string) => postern.ledger.emit({ topic: 'task:A', type })
    expect(await emit('task.blocked')).toMatchObject({ notified: ['ada'] })
    expect(await emit('task.started')).toMatchObject({ notified: ['engine'] })
    const { messages } = await postern.inbox.drain({ agent: 'ada' })
    expect(messages).toMatchObject([{ priority: 3 }])
  })

  rule('are refused where they are none', async () => {
    verifies('S003.routing')
    const { postern } = await open({ agents: TEAM })
    const wrong = (more: object) => postern.ledger.emit({ topic: 'task:A', type: 'task.blocked', ...more })
    await refused(wrong({ topic: 'epic:A' }), 'ENTITY_INVALID')
    await refused(wrong({ topic: '0.0.4711' }), 'LEDGER_TOPIC_NOT_FOUND')
    await refused(wrong({ type: 'Blocked!' }), 'TYPE_INVALID')
    await refused(wrong({ type: 'task.note' }), 'VALUE_INVALID')
    await refused(wrong({ subject: 'x'.repeat(2_000) }), 'CONTENT_TOO_LARGE')
    await refused(wrong({ type: 'task.x', payload: 'x'.repeat(30_000) }), 'LEDGER_MESSAGE_TOO_LARGE')
    await refused(wrong({ type: 'task.x', payload: { text: 'a\0b' } }), 'TEXT_INVALID')
    await refused(wrong({ type: 'task.x', payload: 'x'.repeat(70_000) }), 'CONTENT_TOO_LARGE')
    expect(await postern.ledger.topics({})).toEqual([])
  })

  rule('are told by their type where they are given no subject', async () => {
    verifies('S003.routing')
    const { postern } = await open({ agents: TEAM })
    for (const subject of ['', ' ']) await postern.ledger.emit({ topic: 'task:A', type: 'task.blocked', subject })
    expect(await read(postern, 'mindy')).toEqual(['task.blocked: task:A', 'task.blocked: task:A'])
  })

  rule('publish only the hash of their payload where that is set, which is read here all the same', async () => {
    verifies('S003.privacy', 'S003.routing')
    const { postern } = await open({ agents: TEAM, ...ledgerConfig({ publish: { default: 'hash' } }) })
    await postern.ledger.emit({ topic: 'task:A', type: 'task.started', payload: { by: 'us' } })
    await postern.notes.post({ entity_id: 'A', entity_type: 'task', note: 'between us' })
    await refused(
      postern.ledger.emit({ topic: 'task:A', type: 'task.x', payload: 'x'.repeat(70_000) }),
      'CONTENT_TOO_LARGE',
    )
    const { entries } = await postern.ledger.read({ topic: 'task:A' })
    expect(entries.map(({ body }) => body)).toEqual(['{"by":"us"}', 'between us'])
    expect(entries.map(({ text }) => text).join('')).not.toMatch(/"us"|between/)
  })
})
