import { createAgentLister } from '../shelves/agent-statuses.ts'
import { createAgentShelf } from '../shelves/agents.ts'
import { createBudgetShelf } from '../shelves/budgets.ts'
import { createDecisionShelf } from '../shelves/decisions.ts'
import { createDeliveryShelf } from '../shelves/deliveries.ts'
import { createEventShelf } from '../shelves/events.ts'
import { createGateShelf } from '../shelves/gates.ts'
import { createHistoryShelf } from '../shelves/history.ts'
import { createInboxShelf } from '../shelves/inboxes.ts'
import { createInheritanceShelf } from '../shelves/inheritances.ts'
import { createJobShelf } from '../shelves/jobs.ts'
import { createLedgerShelf } from '../shelves/ledger/ledger.ts'
import { createMessageReader } from '../shelves/messages.ts'
import { createOfferShelf } from '../shelves/offers.ts'
import { createPlanShelf } from '../shelves/plans.ts'
import { createRelayShelf } from '../shelves/relays.ts'
import { createReplyShelf } from '../shelves/replies.ts'
import { createRequestShelf } from '../shelves/requests.ts'
import { createServiceShelf } from '../shelves/services.ts'
import { createSessionShelf } from '../shelves/sessions.ts'
import { createSnoozeShelf } from '../shelves/snoozes.ts'
import { createSpaceShelf } from '../shelves/spaces.ts'
import { createTokenShelf } from '../shelves/tokens.ts'
import { createSweeper } from '../shelves/upkeep.ts'
import type { Sql } from '../sql.ts'
import type { Shelves } from '../store.ts'
import { createEventLog } from './events.ts'
import { createInboxLock } from './lock.ts'
import { createOpener } from './offer.ts'
import { createPusher, type Within } from './push.ts'
import { createSearcher } from './search.ts'
import { createWaitingQuery } from './waiting.ts'

export function createShelves(sql: Sql, within: Within): Shelves {
  const deliveries = createDeliveryShelf(sql)
  const log = createEventLog(sql)
  return {
    agents: {
      ...createAgentShelf(sql),
      ...createAgentLister(sql),
      ...createInboxLock(sql),
      markQuiet: async () => false,
    },
    sessions: createSessionShelf(sql),
    messages: { ...createMessageReader(sql), ...createPusher(sql, within), ...createSearcher(sql) },
    deliveries: { ...deliveries, ...createRequestShelf(sql), ...createWaitingQuery(sql, deliveries) },
    offers: { ...createOfferShelf(sql), ...createOpener(sql) },
    snoozes: createSnoozeShelf(sql),
    inboxes: createInboxShelf(sql),
    history: createHistoryShelf(sql),
    gates: createGateShelf(sql),
    decisions: createDecisionShelf(sql),
    spaces: createSpaceShelf(sql),
    plans: createPlanShelf(sql),
    services: createServiceShelf(sql),
    tokens: createTokenShelf(sql),
    replies: createReplyShelf(sql),
    events: createEventShelf(sql, log),
    inheritances: createInheritanceShelf(sql),
    relays: createRelayShelf(sql, log),
    ledger: createLedgerShelf(sql),
    budgets: createBudgetShelf(sql),
    upkeep: { ...createJobShelf(sql), ...createSweeper(sql) },
  }
}
