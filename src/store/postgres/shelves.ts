import { createAgentShelf } from '../shelves/agents.ts'
import { createBudgetShelf } from '../shelves/budgets.ts'
import { createDeliveryShelf } from '../shelves/deliveries.ts'
import { createMessageReader } from '../shelves/messages.ts'
import { createOfferShelf } from '../shelves/offers.ts'
import { createSessionShelf } from '../shelves/sessions.ts'
import { createUpkeepShelf } from '../shelves/upkeep.ts'
import type { Sql } from '../sql.ts'
import type { Shelves } from '../store.ts'
import { createLook } from './look.ts'
import { createOpener } from './open.ts'
import { createPusher } from './push.ts'
import { createSearcher } from './search.ts'

/** How a call is run: what its statements have around them. */
export interface Frame {
  /** Runs in the transaction that is open, or in one of its own. */
  within<T>(work: () => Promise<T>): Promise<T>
  /** False where a single statement must see to it by itself that its commit waits for no disk. */
  readonly isLasting: boolean
}

export function createShelves(sql: Sql, frame: Frame): Shelves {
  const deliveries = createDeliveryShelf(sql)
  return {
    agents: createAgentShelf(sql),
    sessions: createSessionShelf(sql),
    messages: { ...createMessageReader(sql), ...createPusher(sql, frame), ...createSearcher(sql) },
    deliveries: { ...deliveries, ...createLook(sql, deliveries) },
    offers: { ...createOfferShelf(sql), ...createOpener(sql, frame) },
    budgets: createBudgetShelf(sql),
    upkeep: createUpkeepShelf(sql),
  }
}
