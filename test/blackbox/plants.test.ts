import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { checkHistory, type Findings, type HistoryEvent } from '../helpers/history.ts'
import { READERS, type World, WRITERS } from './harness/doors.ts'
import { leftIn, readAll } from './harness/history-of.ts'
import { makePlace } from './harness/place.ts'

/** Faults of a store, each planted in the first message of quinn, by the name that the checker gives them. */
const PLANTS: readonly (readonly [keyof Findings, string])[] = [
  ['lost', `UPDATE deliveries SET state = 'seen' WHERE agent_id = 'quinn' AND inbox_seq = 1`],
  ['reordered', `UPDATE deliveries SET inbox_seq = 1000 WHERE agent_id = 'quinn' AND inbox_seq = 1`],
  ['skipped', `UPDATE deliveries SET state = 'held' WHERE agent_id = 'quinn' AND inbox_seq = 1`],
  ['phantom', `UPDATE deliveries SET agent_id = 'robin', inbox_seq = 1000 WHERE agent_id = 'quinn' AND inbox_seq = 1`],
]

it.each(PLANTS)('finds a message that was %s', async (finding, statement) => {
  expect((await follow({ before: statement }))[finding]).toHaveLength(1)
})

it('finds a message that is shown again', async () => {
  const again = `UPDATE deliveries SET state = 'pending', attempt = 0, offer_id = NULL WHERE inbox_seq = 1`
  expect((await follow({ between: again })).duplicate).toHaveLength(1)
})

it('finds nothing wrong with an untouched store', async () => {
  expect(await follow({})).toMatchObject({ isSound: true, acknowledged: 4, shown: 4 })
})

interface Plant {
  /** Runs on the store before anything is read, or after everything was. */
  readonly before?: string
  readonly between?: string
}

async function follow({ before, between }: Plant) {
  const place = await makePlace()
  const world: World = { place, server: () => Promise.reject(new Error('there is no server')) as never }
  const [writer, events] = [await WRITERS['cli']!(world), [] as HistoryEvent[]]
  for (const key of ['key-quinn-1', 'key-quinn-2', 'key-quinn-3', 'key-quinn-4']) {
    events.push({ kind: 'attempted', key, by: 'cli' })
    await writer.push('quinn', key)
    events.push({ kind: 'acknowledged', key, by: 'cli' })
  }
  const readers = { quinn: await READERS['cli']!(world, 'quinn'), robin: await READERS['cli']!(world, 'robin') }
  plant(place.home, before)
  events.push(...(await readAll(readers.quinn, 'quinn', 'cli')), ...(await readAll(readers.robin, 'robin', 'cli')))
  plant(place.home, between)
  events.push(...(await readAll(readers.quinn, 'quinn', 'cli')))
  return checkHistory([...events, ...(await leftIn(place, ['quinn', 'robin']))])
}

function plant(home: string, statement = ''): void {
  const database = new DatabaseSync(join(home, 'postern.db'))
  database.exec(statement)
  database.close()
}
