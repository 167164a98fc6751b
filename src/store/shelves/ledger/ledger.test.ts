import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import type { Sql } from '../../sql.ts'
import { ledger } from '../../sqlite/migrations/0007-ledger.ts'
import { parcelOrder } from '../../sqlite/migrations/0013-parcel-order.ts'
import { createLedgerShelf } from './ledger.ts'

const texts: string[] = []
const noting = async (text: string) => {
  texts.push(text)
  return []
}
const shelf = createLedgerShelf({ engine: 'sqlite', all: noting, get: noting, run: noting } as unknown as Sql)

/** How SQLite would find what a call looks for. */
async function plan(call: () => Promise<unknown>): Promise<string> {
  texts.length = 0
  await call()
  const database = new DatabaseSync(':memory:')
  database.exec(`CREATE TABLE counters (name, value); ${ledger} ${parcelOrder}`)
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${texts[0]}`).all()
  database.close()
  return steps.map(({ detail }) => detail).join('\n')
}

const of = { network: 'testnet', limit: 9 }

it('looks at none of the parcels that are done with to find the few that are not', async () => {
  expect(await plan(() => shelf.dueParcels({ ...of, now: 1 }))).toContain(
    'ledger_parcels_due (network=? AND next_at<?)',
  )
  expect(await plan(() => shelf.lateParcels({ ...of, before: 1 }))).toContain('ledger_parcels_awaited (network=? AND')
  expect(await plan(() => shelf.spentSince({ ...of, since: 1 }))).toContain('COVERING INDEX ledger_parcels_spent')
  for (const state of ['waiting', 'refused'] as const) {
    for (const call of ['countParcels', 'listParcels'] as const) {
      const found = await plan(() => shelf[call]({ state, limit: 9 }))
      expect(found).toMatch(/COVERING INDEX ledger_parcels_(?:due|lane|refused)/)
      expect(found).not.toMatch(/SCAN (?:p|ledger_parcels)$/m)
    }
  }
})

it('looks only at topics that are asked for', async () => {
  const network = 'local'
  expect(await plan(() => shelf.listTopics({ network, entity: 'task:A' }))).toContain('ledger_topics_entity')
  expect(await plan(() => shelf.listTopics({ network, agent: 'quinn' }))).toContain('ledger_topics_agent')
  expect(await plan(() => shelf.listTopics({ network, role: 'work' }))).toContain('ledger_topics_role')
})
