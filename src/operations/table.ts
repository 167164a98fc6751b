import { OPERATION_NAMES, OPERATIONS, type OperationName } from '../model/operations.ts'
import { AGENT_OPERATIONS } from './agents.ts'
import { BUS_OPERATIONS } from './bus.ts'
import { DECISION_OPERATIONS } from './decisions.ts'
import { EVENT_OPERATIONS } from './events.ts'
import { GATE_OPERATIONS } from './gates.ts'
import { HANDOFF_OPERATIONS } from './handoff.ts'
import { INBOX_OPERATIONS } from './inbox.ts'
import { CONNECTION_OPERATIONS } from './ledger/connections.ts'
import { LEDGER_OPERATIONS } from './ledger/ledger.ts'
import { LEDGER_MESSAGE_OPERATIONS } from './ledger/messages.ts'
import { NOTE_OPERATIONS } from './ledger/notes.ts'
import { PARCEL_OPERATIONS } from './ledger/parcels.ts'
import { METRIC_OPERATIONS } from './metrics.ts'
import type { Declaration, Operation } from './operation.ts'
import { PLAN_OPERATIONS } from './plans.ts'
import { SERVICE_OPERATIONS } from './services.ts'
import { SESSION_OPERATIONS } from './sessions.ts'
import { SPACE_OPERATIONS } from './spaces.ts'
import { TOKEN_OPERATIONS } from './tokens.ts'
import { UPKEEP_OPERATIONS } from './upkeep.ts'

const DECLARATIONS: Readonly<Record<OperationName, Declaration>> = {
  ...AGENT_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...INBOX_OPERATIONS,
  ...GATE_OPERATIONS,
  ...DECISION_OPERATIONS,
  ...SPACE_OPERATIONS,
  ...PLAN_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...BUS_OPERATIONS,
  ...HANDOFF_OPERATIONS,
  ...LEDGER_MESSAGE_OPERATIONS,
  ...NOTE_OPERATIONS,
  ...LEDGER_OPERATIONS,
  ...CONNECTION_OPERATIONS,
  ...PARCEL_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...METRIC_OPERATIONS,
  ...UPKEEP_OPERATIONS,
}

/** Every operation, in the order of `model/operations.ts`. */
export const DECLARED_OPERATIONS: readonly Operation[] = OPERATION_NAMES.map((name) => ({
  name,
  ...OPERATIONS[name],
  ...DECLARATIONS[name],
}))

const BY_NAME = new Map(DECLARED_OPERATIONS.map((operation) => [operation.name, operation]))

export function declaredOperation(name: OperationName): Operation {
  return BY_NAME.get(name) as Operation
}
