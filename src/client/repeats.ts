import { createUlid } from '../kit/pure/ulid.ts'
import type { OperationName } from '../operations/routes.ts'
import type { Input } from './request.ts'

/** Operations that change nothing when they are done twice, so that they need no key to be repeated. */
const HARMLESS: ReadonlySet<OperationName> = new Set([
  'inbox.wait',
  'inbox.waitFor',
  'inbox.printed',
  'inbox.confirm',
  'inbox.read',
  'inbox.ack',
  'inbox.snooze',
  'decisions.await',
  'events.wait',
  'bus.wait',
  'handoff.init',
  'handoff.printed',
  'handoff.confirm',
  'ledger.verify',
  'sessions.begin',
  'sessions.settle',
  'tokens.revoke',
  'upkeep.run',
])

/** Operations whose answers the server does not keep, because they hold a secret, or knows no key for. */
const UNREPEATABLE: ReadonlySet<OperationName> = new Set([
  'agents.remove',
  'services.create',
  'services.rotate',
  'tokens.create',
])

export interface Repetition {
  /** Whether an answer that was lost may be asked for once more. */
  readonly isRepeatable: boolean
  /** Whether that takes an `Idempotency-Key`: the server keeps such answers, so who can do without does. */
  readonly needsKey: boolean
}

export function repetitionOf(name: OperationName, method: string, input: Input): Repetition {
  if (method === 'GET' || HARMLESS.has(name)) return { isRepeatable: true, needsKey: false }
  if (UNREPEATABLE.has(name)) return { isRepeatable: false, needsKey: false }
  if (name === 'services.trigger') return { isRepeatable: isNamedDelivery(input), needsKey: false }
  // Under a key of its own it is done once, whatever the request brings; an empty one is none.
  return { isRepeatable: input['dedupKey'] !== '', needsKey: input['dedupKey'] === undefined }
}

/** What is signed has a name, under which it is taken once. */
function isNamedDelivery({ deliveryId, proof }: Input): boolean {
  return deliveryId !== undefined || 'webhookId' in ((proof ?? {}) as object)
}

/** Later keys sort after earlier ones, so that the store adds them at the end of its index instead of anywhere in it. */
export const newKey = createUlid({ now: Date.now, random })

/** So many bits that two clients who ask in the same millisecond do not get the same. */
function random(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53
}
