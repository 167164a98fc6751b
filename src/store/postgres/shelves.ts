import { createAgentShelf } from '../shelves/agents.ts'
import { createAlikeShelves } from '../shelves/alike.ts'
import { createBudgetShelf } from '../shelves/budgets.ts'
import { createDeliveryShelf } from '../shelves/deliveries.ts'
import { createJobShelf } from '../shelves/jobs.ts'
import { createMessageReader } from '../shelves/messages.ts'
import { createOfferShelf } from '../shelves/offers.ts'
import { createSessionShelf } from '../shelves/sessions.ts'
import { createSweeper } from '../shelves/upkeep.ts'
import type { Sql } from '../sql.ts'
import type { Shelves } from '../store.ts'
import { createEventLog } from './events.ts'
import { createLook } from './look.ts'
import { createOpener } from './offer.ts'
import { createPusher, type Within } from './push.ts'
import { createSearcher } from './search.ts'

export function createShelves(sql: Sql, within: Within): Shelves {
  const deliveries = createDeliveryShelf(sql)
  return {
    agents: { ...createAgentShelf(sql), settle: async () => false },
    sessions: createSessionShelf(sql),
    messages: { ...createMessageReader(sql), ...createPusher(sql, within), ...createSearcher(sql) },
    deliveries: { ...deliveries, ...createLook(sql, deliveries) },
    offers: { ...createOfferShelf(sql), ...createOpener(sql) },
    ...createAlikeShelves(sql, createEventLog(sql)),
    budgets: createBudgetShelf(sql),
    upkeep: { ...createJobShelf(sql), ...createSweeper(sql) },
  }
}
