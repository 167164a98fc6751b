import { expect, it } from 'vitest'
import { createLocalLedger } from '../../../src/ledger/local/local-ledger.ts'
import { verifyTopic } from '../../../src/ledger/verify.ts'
import type { Store } from '../../../src/store/store.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { makeTopic, readAll, submit } from './contract.ts'
import { onBothEngines } from './stores.ts'

const PAYER = '0.0.1001'
const COUNT = 9

/** A topic with entries of its own, one of them in two chunks, and another beside it. */
async function fill(store: Store) {
  const world = { ledger: createLocalLedger({ store }), payer: PAYER }
  const [topicId, other] = [await makeTopic(world), await makeTopic(world)]
  for (let number = 1; number < COUNT - 1; number++) await submit(world, topicId, Buffer.from(`number ${number}`))
  await submit(world, topicId, Buffer.alloc(1_100, 'x'), { mayChunk: true })
  await submit(world, other, Buffer.from('beside it'))
  const verify = (rest: Partial<Parameters<typeof verifyTopic>[0]> = {}) =>
    verifyTopic({ shelf: store.read.ledger, topicId, ...rest })
  return { world, topicId, other, verify, entries: await readAll(world, topicId, COUNT) }
}

/** One byte of each column of the fifth entry that the chain depends on, and of what the topic says of its end. */
const CHANGES: readonly (readonly [what: string, text: string, bad: number])[] = [
  ['a message', `UPDATE ledger_entries SET message = 'N' || substr(message, 2) WHERE sequence = 5`, 5],
  [
    'a message in other letters for the same bytes',
    `UPDATE ledger_entries SET message = substr(message, 1, length(message) - 1) || '!' WHERE sequence = 5`,
    5,
  ],
  ['a payer', `UPDATE ledger_entries SET payer = '0.0.1000' WHERE sequence = 5`, 5],
  ['a payer with a leading zero', `UPDATE ledger_entries SET payer = '0.0.01001' WHERE sequence = 5`, 5],
  ['a time', `UPDATE ledger_entries SET consensus_at = substr(consensus_at, 1, 19) || '1' WHERE sequence = 5`, 5],
  [
    'a time that was before',
    `UPDATE ledger_entries SET consensus_at = '10' || substr(consensus_at, 3) WHERE sequence = 5`,
    5,
  ],
  [
    'a running hash',
    `UPDATE ledger_entries SET running_hash = replace(running_hash, substr(running_hash, 96), 'g') WHERE sequence = 5`,
    5,
  ],
  ['a place', `UPDATE ledger_entries SET sequence = 50 WHERE sequence = 5`, 5],
  ['the number of a chunk', 'UPDATE ledger_entries SET chunk_number = 3 WHERE sequence = 9', 9],
  [
    'the transaction of a chunk',
    `UPDATE ledger_entries SET chunk_transaction = '0.0.1002' || substr(chunk_transaction, 9) WHERE sequence = 8`,
    8,
  ],
  ['an entry that is gone', 'DELETE FROM ledger_entries WHERE sequence = 5', 5],
  ['the last entry that is gone', 'DELETE FROM ledger_entries WHERE sequence = 9', 9],
  ['a head that was set back', 'UPDATE ledger_topics SET sequence = 8 WHERE sequence = 9', 8],
  [
    'a head with another hash',
    `UPDATE ledger_topics SET running_hash = replace(running_hash, substr(running_hash, 96), 'g') WHERE sequence = 9`,
    9,
  ],
  [
    'a head at another time',
    `UPDATE ledger_topics SET consensus_at = substr(consensus_at, 1, 19) || '1' WHERE sequence = 9`,
    9,
  ],
]

onBothEngines('a topic that is verified', (open) => {
  it('is good where nobody has changed it, and so are topics without entries', async () => {
    const { store } = await open()
    const { world, verify, entries } = await fill(store)
    const mark = { sequence: COUNT, runningHash: entries.at(-1)?.runningHash }
    expect(await verify()).toEqual({ heldFrom: 1, entries: COUNT, mark, isDone: true, bad: null })
    const empty = await verify({ topicId: await makeTopic(world) })
    expect(empty).toMatchObject({ entries: 0, isDone: true, bad: null })
    expect(await verify({ topicId: '0.0.9' })).toBeUndefined()
  })

  it('names the entry of which one byte was changed, whatever it is', async () => {
    verifies('S003.verify')
    const { store, alter } = await open()
    for (const [what, text, bad] of CHANGES) {
      const { topicId, other, verify } = await fill(store)
      await alter(text.replace(/WHERE/, `WHERE ${text.includes('_topics') ? 'id' : 'topic_id'} = '${topicId}' AND`))
      const walk = await verify()
      expect(walk, what).toMatchObject({ isDone: false, bad: { sequence: bad } })
      expect(walk?.mark.sequence).toBeLessThanOrEqual(bad)
      expect(await verify({ topicId: other })).toMatchObject({ entries: 1, isDone: true, bad: null })
    }
  })

  it('finds an entry that was put behind the last one', async () => {
    const { store, alter } = await open()
    const { topicId, verify } = await fill(store)
    await alter(`INSERT INTO ledger_entries (topic_id, sequence, consensus_at, payer, message, running_hash)
      SELECT topic_id, 10, consensus_at, payer, message, running_hash FROM ledger_entries
      WHERE topic_id = '${topicId}' AND sequence = 9`)
    expect(await verify()).toMatchObject({ isDone: false, bad: { sequence: 10 } })
  })

  it('finds what was written anew with all that hangs on it, by a mark that somebody has kept', async () => {
    const { store, alter } = await open()
    const { world, topicId, verify, entries } = await fill(store)
    const { mark } = (await verify()) ?? expect.fail()
    await alter(`DELETE FROM ledger_entries WHERE topic_id = '${topicId}' AND sequence > 5`)
    await alter(`UPDATE ledger_topics SET sequence = 5, running_hash = '${entries[4]?.runningHash}',
      consensus_at = '${entries[4]?.consensusAt}' WHERE id = '${topicId}'`)
    expect(await verify()).toMatchObject({ entries: 5, isDone: true, bad: null })
    expect(await verify({ after: mark })).toMatchObject({ isDone: false, bad: { sequence: 6 } })
    for (let number = 6; number <= COUNT + 1; number++) await submit(world, topicId, Buffer.from(`another ${number}`))
    expect(await verify()).toMatchObject({ isDone: true, bad: null })
    expect(await verify({ after: mark })).toMatchObject({ isDone: false, bad: { sequence: COUNT + 1 } })
    expect(await verify({ after: { ...mark, sequence: COUNT + 1 } })).toMatchObject({ isDone: false })
  })

  it('goes on from its mark, and finds in parts what it finds as a whole', async () => {
    const { store, alter } = await open()
    const { topicId, verify } = await fill(store)
    const whole = await verify()
    let walk = await verify({ limit: 4 })
    expect(walk).toMatchObject({ entries: 4, isDone: false, bad: null, mark: { sequence: 4 } })
    while (walk && !walk.isDone) walk = await verify({ limit: 4, after: walk.mark })
    expect(walk?.mark).toEqual(whole?.mark)
    await alter(`UPDATE ledger_entries SET payer = '0.0.7' WHERE topic_id = '${topicId}' AND sequence = 6`)
    const first = await verify({ limit: 4 })
    expect(first).toMatchObject({ bad: null })
    expect(await verify({ limit: 4, after: first?.mark })).toMatchObject({ entries: 1, bad: { sequence: 6 } })
  })

  it('is good while others write to it', async () => {
    const { store, again } = await open()
    const { topicId, verify } = await fill(store)
    const writer = { ledger: createLocalLedger({ store: await again() }), payer: PAYER }
    let isWriting = true
    const write = async () => {
      for (let number = 0; number < 100; number++) await submit(writer, topicId, Buffer.from(`more ${number}`))
      isWriting = false
    }
    const writing = write()
    while (isWriting) expect(await verify()).toMatchObject({ bad: null })
    await writing
    expect(await verify()).toMatchObject({ entries: COUNT + 100, isDone: true })
  })
})
