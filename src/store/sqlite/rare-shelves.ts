import { createDecisionShelf } from '../shelves/decisions.ts'
import { createGateShelf } from '../shelves/gates.ts'
import { createInheritanceShelf } from '../shelves/inheritances.ts'
import { createPlanShelf } from '../shelves/plans.ts'
import { createReplyShelf } from '../shelves/replies.ts'
import { createServiceShelf } from '../shelves/services.ts'
import { createSpaceShelf } from '../shelves/spaces.ts'
import { createTokenShelf } from '../shelves/tokens.ts'
import { createSweeper } from '../shelves/upkeep.ts'
import type { Sql } from '../sql.ts'
import { createEventShelf } from './events.ts'
import type { RareShelves } from './rare.ts'
import { createSearcher } from './search.ts'

/** Shelves that most commands never touch. A part of its own, loaded with the first call on one of them. */
export function createWholeShelves(sql: Sql): RareShelves {
  return {
    gates: createGateShelf(sql),
    decisions: createDecisionShelf(sql),
    spaces: createSpaceShelf(sql),
    plans: createPlanShelf(sql),
    services: createServiceShelf(sql),
    tokens: createTokenShelf(sql),
    replies: createReplyShelf(sql),
    events: createEventShelf(sql),
    inheritances: createInheritanceShelf(sql),
    searcher: createSearcher(sql),
    sweeper: createSweeper(sql),
  }
}
