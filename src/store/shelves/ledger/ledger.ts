import type { LedgerShelf } from '../../contract/ledger.ts'
import type { Sql } from '../../sql.ts'
import { createAdder } from './add-entry.ts'
import { createBodies } from './bodies.ts'
import { createConnections } from './connections.ts'
import { createEntries } from './entries.ts'
import { createIdentities } from './identities.ts'
import { createParcels } from './parcels.ts'
import { createTopics } from './topics.ts'
import { createTransactions } from './transactions.ts'

export function createLedgerShelf(sql: Sql): LedgerShelf {
  return {
    ...createTopics(sql),
    ...createAdder(sql),
    ...createEntries(sql),
    ...createIdentities(sql),
    ...createConnections(sql),
    ...createParcels(sql),
    ...createTransactions(sql),
    ...createBodies(sql),
  }
}
