import { lazyShelf } from '../lazy-shelf.ts'
import { createAgentShelf } from '../shelves/agents.ts'
import { createBudgetShelf } from '../shelves/budgets.ts'
import { createDeliveryShelf } from '../shelves/deliveries.ts'
import { createJobShelf } from '../shelves/jobs.ts'
import { createOfferShelf } from '../shelves/offers.ts'
import { createSessionShelf } from '../shelves/sessions.ts'
import type { Sql } from '../sql.ts'
import type { AgentShelf, Shelves } from '../store.ts'
import type { Connection } from './connection.ts'
import { createOpener } from './offer.ts'
import { createPusher } from './push.ts'
import { RARE_METHODS, type RareShelves } from './rare-methods.ts'

/** What the shelves of the embedded store work on. */
export interface ShelfParts {
  readonly sql: Sql
  /** Pushing and opening an offer use the connection itself, which is faster. */
  readonly connection: () => Connection
  readonly settle: AgentShelf['settle']
}

/** Methods that nearly every command calls are here; the others are loaded with the first call on one of them. */
export function createShelves({ sql, connection, settle }: ShelfParts): Shelves {
  const rare = <S extends keyof RareShelves>(shelf: S): RareShelves[S] =>
    lazyShelf(async () => (await import('./rare-shelves.ts')).RARE_SHELVES[shelf](sql), RARE_METHODS[shelf])

  return {
    agents: { ...createAgentShelf(sql), settle },
    sessions: createSessionShelf(sql),
    messages: {
      ...createPusher(connection),
      ...rare('messageReader'),
      ...rare('searcher'),
    },
    deliveries: createDeliveryShelf(sql),
    offers: { ...createOfferShelf(sql), ...createOpener(connection) },
    snoozes: rare('snoozes'),
    history: rare('history'),
    gates: rare('gates'),
    decisions: rare('decisions'),
    spaces: rare('spaces'),
    plans: rare('plans'),
    services: rare('services'),
    tokens: rare('tokens'),
    replies: rare('replies'),
    events: rare('events'),
    inheritances: rare('inheritances'),
    relays: rare('relays'),
    ledger: rare('ledger'),
    budgets: createBudgetShelf(sql),
    upkeep: {
      ...createJobShelf(sql),
      ...rare('sweeper'),
    },
  }
}
