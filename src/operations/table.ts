import * as agents from './agents.ts'
import * as inbox from './inbox.ts'
import type { Operation } from './operation.ts'
import * as sessions from './sessions.ts'
import * as upkeep from './upkeep.ts'

/** Every operation there is. */
export const OPERATIONS: readonly Operation[] = [agents, sessions, inbox, upkeep].flatMap((room) => Object.values(room))
