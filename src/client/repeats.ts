import { createUlid } from '../kit/pure/ulid.ts'
import { isRead, OPERATIONS, type OperationName } from '../model/operations.ts'
import type { Input } from './request.ts'

export interface Repetition {
  /** Whether an answer that was lost may be asked for once more. */
  readonly isRepeatable: boolean
  /** Whether that takes an `Idempotency-Key`: the server keeps such answers, so who can do without does. */
  readonly needsKey: boolean
}

export function repetitionOf(name: OperationName, method: string, input: Input): Repetition {
  const operation = OPERATIONS[name]
  if (isRead(operation) || operation.kind === 'repeatable') return { isRepeatable: true, needsKey: false }
  if (name === 'services.trigger') return { isRepeatable: isNamedDelivery(input), needsKey: false }
  // The server keeps no answer that holds a secret, and takes no key with DELETE.
  if (operation.isSecret || method === 'DELETE') return { isRepeatable: false, needsKey: false }
  // A key of the message itself is enough; an empty one is none.
  const own = operation.keyField && input[operation.keyField]
  return { isRepeatable: own !== '', needsKey: own === undefined }
}

/** What is signed has a name, under which it is taken once. */
function isNamedDelivery({ deliveryId, proof }: Input): boolean {
  return deliveryId !== undefined || 'webhookId' in ((proof ?? {}) as object)
}

/** Later keys sort after earlier ones, so that the store adds them at the end of its index instead of anywhere in it. */
export const newKey = createUlid({
  now: Date.now,
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
})
