import * as agents from './agents.ts'
import * as decisions from './decisions.ts'
import * as gates from './gates.ts'
import * as inbox from './inbox.ts'
import type { Operation } from './operation.ts'
import * as sessions from './sessions.ts'
import * as upkeep from './upkeep.ts'

/** Every operation there is. */
export const OPERATIONS: readonly Operation[] = [agents, sessions, inbox, gates, decisions, upkeep].flatMap((room) =>
  Object.values(room),
)
