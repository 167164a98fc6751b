import { answersNothing } from './json-schema.ts'
import type { Operation } from './operation.ts'
import type { OperationName } from './routes.ts'

/** Operations after which there is something that was not there before. */
const CREATING: readonly OperationName[] = [
  'agents.add',
  'inbox.push',
  'inbox.pushMany',
  'gates.create',
  'decisions.create',
  'spaces.create',
  'spaces.post',
  'services.create',
  'tokens.create',
  'bus.post',
  'handoff.leave',
  'handoff.writeOut',
  'messages.send',
  'messages.sendInbox',
  'notes.post',
  'ledger.createTopic',
  'ledger.emit',
  'ledger.connect',
  'ledger.say',
]

/** The HTTP status of an operation that was done. */
export function successStatus(operation: Operation): 200 | 201 | 202 | 204 {
  if (answersNothing(operation)) return 204
  // The event was taken; what the agent makes of it shows later.
  if (operation.name === 'services.trigger') return 202
  return CREATING.includes(operation.name) ? 201 : 200
}

/** Operations that may sleep until something comes. */
export const WAITING: readonly OperationName[] = [
  'inbox.wait',
  'inbox.waitFor',
  'decisions.await',
  'events.wait',
  'bus.wait',
]
