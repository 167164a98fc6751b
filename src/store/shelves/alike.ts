import type { Sql } from '../sql.ts'
import type { Shelves } from '../store.ts'
import { createDecisionShelf } from './decisions.ts'
import { createGateShelf } from './gates.ts'
import { createInheritanceShelf } from './inheritances.ts'
import { createPlanShelf } from './plans.ts'
import { createReplyShelf } from './replies.ts'
import { createServiceShelf } from './services.ts'
import { createSpaceShelf } from './spaces.ts'
import { createTokenShelf } from './tokens.ts'

/** Shelves that need no words of their own from either engine. */
export function createAlikeShelves(
  sql: Sql,
): Pick<Shelves, 'gates' | 'decisions' | 'spaces' | 'plans' | 'services' | 'tokens' | 'replies' | 'inheritances'> {
  return {
    gates: createGateShelf(sql),
    decisions: createDecisionShelf(sql),
    spaces: createSpaceShelf(sql),
    plans: createPlanShelf(sql),
    services: createServiceShelf(sql),
    tokens: createTokenShelf(sql),
    replies: createReplyShelf(sql),
    inheritances: createInheritanceShelf(sql),
  }
}
