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
  readonly markQuiet: AgentShelf['markQuiet']
}

/** Methods that nearly every command calls are here; the others are loaded with the first call on one of them. */
export function createShelves({ sql, connection, markQuiet }: ShelfParts): Shelves {
  const made = new Map<keyof RareShelves, object>()
  /** Made with its first use, because most commands use none. */
  const rare = <S extends keyof RareShelves>(shelf: S): RareShelves[S] => {
    const load = async () => (await import('./rare-shelves.ts')).RARE_SHELVES[shelf](sql)
    const known = made.get(shelf) ?? lazyShelf<RareShelves[S]>(load, RARE_METHODS[shelf]())
    made.set(shelf, known)
    return known as RareShelves[S]
  }

  return {
    agents: { ...createAgentShelf(sql), ...rare('agentLister'), lock: async ({ ids }) => ids, markQuiet },
    sessions: createSessionShelf(sql),
    messages: {
      ...createPusher(connection, sql.macs),
      ...rare('messageReader'),
      ...rare('searcher'),
    },
    deliveries: { ...createDeliveryShelf(sql), ...rare('requests') },
    offers: { ...createOfferShelf(sql), ...createOpener(connection) },
    get snoozes() {
      return rare('snoozes')
    },
    get inboxes() {
      return rare('inboxes')
    },
    get history() {
      return rare('history')
    },
    get gates() {
      return rare('gates')
    },
    get decisions() {
      return rare('decisions')
    },
    get spaces() {
      return rare('spaces')
    },
    get plans() {
      return rare('plans')
    },
    get services() {
      return rare('services')
    },
    get tokens() {
      return rare('tokens')
    },
    get replies() {
      return rare('replies')
    },
    get events() {
      return rare('events')
    },
    get inheritances() {
      return rare('inheritances')
    },
    get relays() {
      return rare('relays')
    },
    get ledger() {
      return rare('ledger')
    },
    budgets: createBudgetShelf(sql),
    upkeep: {
      ...createJobShelf(sql),
      ...rare('sweeper'),
    },
  }
}
