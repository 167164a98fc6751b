import type { EventLog } from '../event-log.ts'
import type { Sql } from '../sql.ts'
import type { Shelves } from '../store.ts'
import { createDecisionShelf } from './decisions.ts'
import { createEventShelf } from './events.ts'
import { createGateShelf } from './gates.ts'
import { createHistoryShelf } from './history.ts'
import { createInheritanceShelf } from './inheritances.ts'
import { createLedgerShelf } from './ledger/ledger.ts'
import { createPlanShelf } from './plans.ts'
import { createRelayShelf } from './relays.ts'
import { createReplyShelf } from './replies.ts'
import { createServiceShelf } from './services.ts'
import { createSnoozeShelf } from './snoozes.ts'
import { createSpaceShelf } from './spaces.ts'
import { createTokenShelf } from './tokens.ts'

/** Shelves that need no words of their own from either engine but those of its events. */
export type AlikeShelves = Pick<
  Shelves,
  | 'snoozes'
  | 'history'
  | 'gates'
  | 'decisions'
  | 'spaces'
  | 'plans'
  | 'services'
  | 'tokens'
  | 'replies'
  | 'events'
  | 'inheritances'
  | 'relays'
  | 'ledger'
>

export function createAlikeShelves(sql: Sql, log: EventLog): AlikeShelves {
  return {
    snoozes: createSnoozeShelf(sql),
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
  }
}
