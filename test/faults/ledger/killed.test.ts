import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { caller } from '../../conformance/suite.ts'
import { createDeployment } from '../../helpers/ledger/deployment.ts'
import { makeFastFolder, removeFolder } from '../../helpers/temp.ts'
import { campaign } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { createReaper, Killed, killAtLedger, killableStore, spare } from './killable.ts'
import { copyOf, type FaultWorld, finish, openFaultWorld, prepare } from './world.ts'

/** A lost answer is asked for within seconds, or so late that its transaction counts no more. */
const PAUSES_MS = [46_000, 400_000]
/** Rounds over all points at which the process may die: a part of them, each of them once, and each of them many times. */
const ROUNDS = { quick: 0.1, full: 1, long: 500, most: 1 }
const EVER = Number.POSITIVE_INFINITY
const LONG = 'A long story. '.repeat(120)

let base = ''
let prepared = ''
beforeAll(async () => {
  base = makeFastFolder()
  prepared = join(base, 'prepared')
  await prepare(prepared)
})
afterAll(() => removeFolder(base))

interface Try {
  readonly killAt: number
  readonly pauseMs: number
  /** A fault that is put in on purpose: what was done is as if no transaction had been written down before. */
  readonly isForgetful?: boolean
}

interface Verdict {
  readonly passed: number
  readonly wrong: readonly string[]
}

let tries = 0

/** What was decided on before; then one process that dies somewhere, and another that goes on. */
async function attempt({ killAt, pauseMs, isForgetful = false }: Try): Promise<Verdict> {
  const folder = copyOf(prepared, join(base, `try-${++tries}`))
  const world = await openFaultWorld(folder)
  try {
    world.clock.now += 3_600_000
    await say(world)
    const reaper = createReaper(killAt)
    killAtLedger(world.elsewhere, reaper)
    const victim = createDeployment(killableStore(world.store, reaper), world.elsewhere.ledger)
    await victim.settle().catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error
    })
    spare(world.elsewhere)
    world.clock.now += pauseMs
    if (isForgetful) await forget(world.store)
    const heir = createDeployment(world.store, world.elsewhere.ledger)
    await finish(heir, world)
    return { passed: reaper.passed, wrong: await inspect(world) }
  } finally {
    await world.close()
    removeFolder(folder)
  }
}

function forget(store: Store): Promise<void> {
  return store.transact(async (tx) => {
    const waiting = await tx.ledger.listParcels({ state: 'waiting', limit: 100 })
    for (const parcel of waiting) await tx.ledger.updateParcel({ ...parcel, transaction: null })
  })
}

async function say({ store, elsewhere }: FaultWorld): Promise<void> {
  const us = createDeployment(store, elsewhere.ledger)
  const quinn = us.postern.as(caller('quinn'))
  await quinn.messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'urgent', priority: 1 })
  await quinn.messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'normal', priority: 3 })
  await quinn.messages.send({ to_agent: 'justin', message_type: 'fyi', subject: 'long', payload: { text: LONG } })
  const note = { entity_id: 'PROJ-12', entity_type: 'task', notify: ['mindy'] } as const
  await quinn.notes.post({ ...note, note: `chunked ${LONG}` })
}

/** Everything once: on its topic and in its inbox. */
async function inspect({ store, elsewhere }: FaultWorld): Promise<string[]> {
  const us = createDeployment(store, elsewhere.ledger)
  const wrong: string[] = []
  const expectOnce = (what: string, found: readonly (string | null)[], wanted: readonly string[]) => {
    const [is, should] = [JSON.stringify([...found].sort()), JSON.stringify([...wanted].sort())]
    if (is !== should) wrong.push(`${what}: ${is} in place of ${should}`)
  }
  const subjects = async (agent: string) => (await us.postern.inbox.list({ agent })).items.map(({ subject }) => subject)
  expectOnce('mindy', await subjects('mindy'), ['urgent', 'normal', 'task.note: task:PROJ-12'])
  expectOnce('justin', await subjects('justin'), ['long'])
  for (const [agent, count] of [
    ['mindy', 2],
    ['justin', 1],
  ] as const) {
    const { inboundTopicId } = await us.identity(agent)
    const texts = await elsewhere.texts(inboundTopicId)
    if (texts.length !== count) wrong.push(`the topic of ${agent} has ${texts.length} entries`)
  }
  const [work] = await store.read.ledger.listTopics({ network: 'testnet', role: 'work' })
  const notes = await us.postern.notes.list({ entity_id: 'PROJ-12', entity_type: 'task' })
  if (notes.notes.length !== 1) wrong.push(`${work?.id} has ${notes.notes.length} notes`)
  const records = await elsewhere.texts((await us.identity('quinn')).outboundTopicId)
  if (records.filter((text) => text.includes('"sent"')).length !== 3) wrong.push(`${records.length} records`)
  for (const parcel of await us.postern.ledger.parcels({})) {
    if (parcel.state !== 'published') wrong.push(`${parcel.id} is ${parcel.state}`)
  }
  for (const { id } of await us.postern.ledger.topics({})) {
    const { bad } = await us.postern.ledger.verify({ topic: id })
    if (bad) wrong.push(`${id} is broken at ${bad.sequence}`)
  }
  return wrong
}

describe('a publisher and listener that is killed', () => {
  campaign(
    'a publisher and listener that is killed at any point loses nothing and repeats nothing',
    ROUNDS,
    async (part) => {
      verifies('S003.listener.killed', 'S003.publisher')
      const { passed: points, wrong } = await attempt({ killAt: EVER, pauseMs: 0 })
      expect(wrong).toEqual([])
      expect(points).toBeGreaterThan(30)
      const step = Math.round(1 / part)
      const found: string[] = []
      for (const [at, pauseMs] of PAUSES_MS.entries()) {
        for (let killAt = at % step; killAt < points; killAt += step) {
          const verdict = await attempt({ killAt, pauseMs })
          found.push(...verdict.wrong.map((each) => `killed at ${killAt} of ${points}, ${pauseMs} ms: ${each}`))
        }
      }
      expect(found).toEqual([])
    },
  )

  it('would be caught if it did not write a transaction down before it sends it', async () => {
    const { passed: points } = await attempt({ killAt: EVER, pauseMs: 0 })
    const found: string[] = []
    for (let killAt = 0; killAt < points && found.length === 0; killAt++) {
      found.push(...(await attempt({ killAt, pauseMs: 46_000, isForgetful: true })).wrong)
    }
    expect(found).not.toEqual([])
  })
})
