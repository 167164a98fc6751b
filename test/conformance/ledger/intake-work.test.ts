import { expect, it } from 'vitest'
import { checkLedger } from '../../../src/core/ledger/check.ts'
import { ENTRY_BYTES } from '../../../src/model/ledger/entry.ts'
import { storeWith } from '../../helpers/store-with.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller } from '../suite.ts'
import { openScene, type Scene, waiting } from './scene.ts'
import { onBothEngines } from './stores.ts'

/** The parts of a text, each as small as an SDK could make it. */
function partsOf(text: string, bytes = ENTRY_BYTES): Uint8Array[] {
  const whole = new TextEncoder().encode(text)
  return Array.from({ length: Math.ceil(whole.length / bytes) }, (_, at) => whole.slice(at * bytes, (at + 1) * bytes))
}

const PART_BYTES = 20

interface Parts {
  readonly text: string
  readonly payer: string
  readonly topicId: string
  /** Numbers from 1, as they come. */
  readonly order: readonly number[]
  readonly atMs?: (number: number) => number
}

async function addParts({ elsewhere }: Scene, { text, payer, topicId, order, atMs }: Parts): Promise<void> {
  const parts = partsOf(text, PART_BYTES)
  const transaction = elsewhere.truth.newTransaction(payer)
  for (const number of order) {
    const bytes = parts[number - 1] ?? expect.fail('there is no such part')
    const chunk = { transaction, number, total: parts.length }
    await elsewhere.add({ topicId, payer, bytes, chunk, ...(atMs && { at: atMs(number) }) })
  }
}

async function workTopic({ us }: Scene, entity = 'task:PROJ-12'): Promise<string> {
  await us.postern.ledger.createTopic({ entity })
  await us.settle()
  const { topic } = await us.postern.ledger.createTopic({ entity })
  return topic?.id ?? expect.fail('it has no topic')
}

async function noteOf(scene: Scene, note: string, notify: readonly string[]): Promise<{ text: string; payer: string }> {
  const { account: payer } = await scene.us.identity('quinn')
  return { payer, text: JSON.stringify({ type: 'task.note', from_agent: 'quinn', note, notify, ts: 'now' }) }
}

onBothEngines('notes and events that come in by a ledger', (open) => {
  it('tell each of those whom a note names once, however slow the ledger is', async () => {
    verifies('S003.note')
    const scene = await openScene(open)
    const { us } = scene
    await workTopic(scene)
    const quinn = us.postern.as(caller('quinn'))
    const note = { entity_id: 'PROJ-12', entity_type: 'task', notify: ['mindy', 'justin', 'nobody'] } as const
    await quinn.notes.post({ ...note, note: 'Fast', priority: 1 })
    await quinn.notes.post({ ...note, note: 'Slow', priority: 4 })
    expect((await waiting(us, 'mindy')).map(({ content }) => content)).toEqual(['Fast'])
    await us.settle()
    for (const agent of ['mindy', 'justin']) {
      const found = await waiting(us, agent)
      expect(found.map(({ content, type, ref, from }) => [content, type, ref, from.id])).toEqual([
        ['Fast', 'task.note', 'task:PROJ-12', 'quinn'],
        ['Slow', 'task.note', 'task:PROJ-12', 'quinn'],
      ])
    }
  })

  it('tell those of the routing table of an event, with its priority', async () => {
    verifies('S003.routing')
    const scene = await openScene(open)
    const { us } = scene
    const topic = await workTopic(scene)
    const { account: payer } = await us.identity('quinn')
    const event = JSON.stringify({ type: 'task.blocked', from_agent: 'quinn', subject: 'No key', ts: 'now' })
    await scene.elsewhere.add({ topicId: topic, payer, bytes: new TextEncoder().encode(event), chunk: null })
    await us.settle()
    for (const agent of ['mindy', 'justin']) {
      expect(await waiting(us, agent)).toMatchObject([{ type: 'task.blocked', priority: 0, subject: 'No key' }])
    }
  })

  it('are from the account that paid where the name is not its own, and are then not urgent', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    const topicId = await workTopic(scene)
    const stranger = await elsewhere.outsider()
    for (const said of [
      {
        type: 'task.note',
        note: 'Believe me',
        notify: ['mindy'],
        priority: 1,
        note_id: 'msg_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      },
      { type: 'task.blocked', subject: 'Stop' },
    ]) {
      const bytes = new TextEncoder().encode(JSON.stringify({ from_agent: 'quinn', ...said }))
      await elsewhere.add({ topicId, payer: stranger.account, bytes, chunk: null })
    }
    await us.settle()
    const found = await waiting(us, 'mindy')
    expect(found.map(({ from, priority }) => [from.id, from.verified, priority])).toEqual([
      [stranger.account, false, 2],
      [stranger.account, false, 2],
    ])
    expect(found[0]?.context).toMatchObject({ ledger: { claims: 'quinn' } })
  })

  it('are put together from parts in any order, each part counted once', async () => {
    verifies('S003.chunks')
    const scene = await openScene(open)
    const { us } = scene
    const topicId = await workTopic(scene)
    const { text, payer } = await noteOf(scene, 'Ünïcode 😀 in many parts', ['mindy'])
    const total = partsOf(text, PART_BYTES).length
    expect(total).toBeGreaterThan(3)
    const order = [3, 1, 1, ...Array.from({ length: total }, (_, at) => total - at)]
    await addParts(scene, { text, payer, topicId, order })
    await us.settle()
    expect(await waiting(us, 'mindy')).toMatchObject([{ content: 'Ünïcode 😀 in many parts' }])
  })

  it('wait for parts that are missing, across batches, and are told once the last is there', async () => {
    verifies('S003.chunks')
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    const topicId = await workTopic(scene)
    const { text, payer } = await noteOf(scene, 'It comes in two halves, the second much later', ['mindy'])
    const parts = partsOf(text, PART_BYTES)
    const transaction = elsewhere.truth.newTransaction(payer)
    for (const [at, bytes] of parts.entries()) {
      expect(await waiting(us, 'mindy')).toEqual([])
      await elsewhere.add({ topicId, payer, bytes, chunk: { transaction, number: at + 1, total: parts.length } })
      await us.listen()
    }
    expect(await waiting(us, 'mindy')).toMatchObject([{ content: 'It comes in two halves, the second much later' }])
  })

  it('take no part from anybody but the one who has paid for the first', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    const topicId = await workTopic(scene)
    const stranger = await elsewhere.outsider()
    const { text, payer } = await noteOf(scene, 'The middle of it is missing, and a stranger fills it in', ['mindy'])
    const parts = partsOf(text, PART_BYTES)
    const transaction = elsewhere.truth.newTransaction(payer)
    for (const [at, bytes] of parts.entries()) {
      const chunk = { transaction, number: at + 1, total: parts.length }
      await elsewhere.add({ topicId, payer: at === 1 ? stranger.account : payer, bytes, chunk })
    }
    await us.settle()
    expect(await waiting(us, 'mindy')).toEqual([])
    expect(us.notes.join('\n')).toContain('it is no part of a message')
  })

  it('give up parts that come more than ten minutes apart, and keep what came of them', async () => {
    const scene = await openScene(open)
    const { us } = scene
    const topicId = await workTopic(scene)
    const { text, payer } = await noteOf(scene, 'One part of it hung somewhere for a long time', ['mindy'])
    const total = partsOf(text, PART_BYTES).length
    const begin = Date.now() + 1_000
    const order = Array.from({ length: total }, (_, at) => at + 1)
    await addParts(scene, {
      text,
      payer,
      topicId,
      order,
      atMs: (number) => begin + (number === total ? 11 * 60_000 : 0),
    })
    await us.settle()
    expect(await waiting(us, 'mindy')).toEqual([])
    expect(us.notes.join('\n')).toContain('its parts came too far apart')
    expect(await us.ctx.store.read.ledger.getTopic({ id: topicId })).toMatchObject({ sequence: total, takenIn: total })
  })

  it('are noted once as given up where a part never comes, however many batches follow, and by the doctor where none does', async () => {
    const scene = await openScene(open)
    const { us } = scene
    const topicId = await workTopic(scene)
    const begin = Date.now() + 1_000
    const write = async (note: string, minutes: number, order?: readonly number[]) => {
      const { text, payer } = await noteOf(scene, note, ['mindy'])
      const all = partsOf(text, PART_BYTES).map((_, at) => at + 1)
      await addParts(scene, { text, payer, topicId, order: order ?? all, atMs: () => begin + minutes * 60_000 })
      await us.listen()
    }
    const given = () => us.notes.filter((note) => note.includes('"parts of it never came":1'))
    await write('Half of this', 0, [1, 3])
    await write('All of this', 1)
    await write('And of this, in time', 9)
    expect(given()).toEqual([])
    await write('Too late for the first', 10.5)
    await write('Too late for the second, which is whole', 15)
    expect(given()).toHaveLength(1)
    expect((await waiting(us, 'mindy')).map(({ content }) => content)).not.toContain('Half of this')
    const store = storeWith(us.ctx.store, { now: () => begin + 60 * 60_000 })
    const unfinished = async () =>
      (await checkLedger({ ...us.ctx, store })).filter(({ name }) => name === 'ledger.unfinished')
    expect(await unfinished()).toEqual([])
    await write('Half of the last', 20, [2])
    expect(await unfinished()).toMatchObject([{ detail: expect.stringContaining(topicId) }])
    expect(given()).toHaveLength(1)
  })
})
