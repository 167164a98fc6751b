import { createAgentLister } from '../shelves/agent-statuses.ts'
import { createDecisionShelf } from '../shelves/decisions.ts'
import { createEventShelf } from '../shelves/events.ts'
import { createGateShelf } from '../shelves/gates.ts'
import { createHistoryShelf } from '../shelves/history.ts'
import { createInboxShelf } from '../shelves/inboxes.ts'
import { createInheritanceShelf } from '../shelves/inheritances.ts'
import { createLedgerShelf } from '../shelves/ledger/ledger.ts'
import { createMessageReader } from '../shelves/messages.ts'
import { createPlanShelf } from '../shelves/plans.ts'
import { createRelayShelf } from '../shelves/relays.ts'
import { createReplyShelf } from '../shelves/replies.ts'
import { createRequestShelf } from '../shelves/requests.ts'
import { createServiceShelf } from '../shelves/services.ts'
import { createSnoozeShelf } from '../shelves/snoozes.ts'
import { createSpaceShelf } from '../shelves/spaces.ts'
import { createTokenShelf } from '../shelves/tokens.ts'
import { createSweeper } from '../shelves/upkeep.ts'
import type { Sql } from '../sql.ts'
import { createEventLog } from './events.ts'
import type { RareShelves } from './rare-methods.ts'
import { createSearcher } from './search.ts'

/** How each rare shelf is made. They are one part of the build: a command that needs one mostly needs several. */
export const RARE_SHELVES: { readonly [S in keyof RareShelves]: (sql: Sql) => RareShelves[S] } = {
  messageReader: createMessageReader,
  searcher: createSearcher,
  agentLister: createAgentLister,
  requests: createRequestShelf,
  sweeper: createSweeper,
  snoozes: createSnoozeShelf,
  inboxes: createInboxShelf,
  history: createHistoryShelf,
  gates: createGateShelf,
  decisions: createDecisionShelf,
  spaces: createSpaceShelf,
  plans: createPlanShelf,
  services: createServiceShelf,
  tokens: createTokenShelf,
  replies: createReplyShelf,
  events: (sql) => createEventShelf(sql, createEventLog(sql)),
  inheritances: createInheritanceShelf,
  relays: (sql) => createRelayShelf(sql, createEventLog(sql)),
  ledger: createLedgerShelf,
}
