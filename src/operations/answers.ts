import { answersNothing } from './json-schema.ts'
import type { Operation } from './operation.ts'

/** The HTTP status of an operation that succeeded. */
export function successStatus(operation: Operation): 200 | 201 | 202 | 204 {
  if (answersNothing(operation)) return 204
  // The event is accepted; the agent reacts to it later.
  if (operation.name === 'services.trigger') return 202
  return operation.kind === 'adds' ? 201 : 200
}
