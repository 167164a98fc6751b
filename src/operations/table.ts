import * as agents from './agents.ts'
import * as bus from './bus.ts'
import * as decisions from './decisions.ts'
import * as events from './events.ts'
import * as gates from './gates.ts'
import * as handoff from './handoff.ts'
import * as inbox from './inbox.ts'
import * as connections from './ledger/connections.ts'
import * as ledger from './ledger/ledger.ts'
import * as messages from './ledger/messages.ts'
import * as notes from './ledger/notes.ts'
import * as parcels from './ledger/parcels.ts'
import * as metrics from './metrics.ts'
import type { Operation } from './operation.ts'
import * as plans from './plans.ts'
import * as services from './services.ts'
import * as sessions from './sessions.ts'
import * as spaces from './spaces.ts'
import * as tokens from './tokens.ts'
import * as upkeep from './upkeep.ts'

/** Every operation there is. */
export const OPERATIONS: readonly Operation[] = [
  agents,
  sessions,
  inbox,
  gates,
  decisions,
  spaces,
  plans,
  services,
  tokens,
  bus,
  handoff,
  messages,
  notes,
  ledger,
  connections,
  parcels,
  events,
  metrics,
  upkeep,
].flatMap((room) => Object.values(room))
