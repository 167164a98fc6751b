import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createPostern } from '../../../src/core/postern.ts'
import { openContext } from '../../../src/host/open/context.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { Store } from '../../../src/store/store.ts'
import { createDoorbell } from '../../../src/wires/local/doorbell.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, read } from '../suite.ts'
import { leftAfterFailures } from './crashing.ts'
import { onBothEngines } from './stores.ts'
import { expectAllVerified, textsOn } from './telling.ts'

/** Each as its own process would have it: nothing is remembered of what an earlier one has done. */
function openOn(store: Store): Postern {
  const wire = createDoorbell({ folder: join(fastFolder(), 'bells') })
  onTestFinished(async () => wire.close())
  return createPostern(openContext(store, wire, {}).ctx, async () => {})
}

const LONG = {
  message_type: 'fyi',
  subject: 'Long',
  payload: { text: 'lorem ipsum '.repeat(300) },
  priority: 1,
} as const

onBothEngines('a transaction of the ledger that fails anywhere', (openStore) => {
  it('leaves nothing of a message, its file, its entry, its record and the topics it needs', async () => {
    verifies('S003.send')
    const { store } = await openStore()
    const postern = openOn(store)
    for (const id of ['mindy', 'quinn']) await postern.agents.add({ id })
    const left = await leftAfterFailures(store, (failing) =>
      openOn(failing)
        .as(caller('quinn'))
        .messages.send({ to_agent: 'mindy', ...LONG, dedup_key: 'once' }),
    )
    expect(left).toEqual([])
    expect(await read(postern, 'mindy')).toHaveLength(1)
    const { identity } = await postern.ledger.profile({ agent: 'mindy' })
    expect(await textsOn(postern, identity.inboundTopicId)).toHaveLength(1)
    await expectAllVerified(postern)
  })

  it('leaves nothing of a note, its topic and those whom it tells', async () => {
    verifies('S003.note')
    const { store } = await openStore()
    const postern = openOn(store)
    for (const id of ['ada', 'mindy', 'quinn']) await postern.agents.add({ id })
    const note = { entity_id: 'A', entity_type: 'task', note: 'x'.repeat(3_000), notify: ['ada', 'mindy'] } as const
    const left = await leftAfterFailures(store, (failing) => openOn(failing).as(caller('quinn')).notes.post(note))
    expect(left).toEqual([])
    expect(await read(postern, 'mindy')).toHaveLength(1)
    expect((await postern.notes.list(note)).notes).toHaveLength(1)
    await expectAllVerified(postern)
  })

  it('would be found if it left something', async () => {
    verifies('S003.send')
    const { store } = await openStore()
    const postern = openOn(store)
    await postern.agents.add({ id: 'mindy' })
    const left = await leftAfterFailures(store, async (failing) => {
      const inTwoSteps = openOn(failing)
      await inTwoSteps.ledger.createTopic({ entity: 'task:A' })
      await inTwoSteps.messages.send({ to_agent: 'mindy', ...LONG })
    })
    expect(left.length).toBeGreaterThan(0)
  })
})
