import { PosternError } from '../model/errors.ts'
import type { ReplyClaim } from '../model/network/replies.ts'
import type { OperationName } from '../model/operations.ts'
import type { Shelves, Store, TransactOptions } from '../store/store.ts'

/** A longer outcome is not recorded: a repetition of the request fails with IDEMPOTENCY_LOST. */
const MAX_RECORDED_CHARACTERS = 1024 * 1024

/** What a transaction returned. Without a value it was committed, but what it returned cannot be repeated. */
interface Outcome {
  readonly isKnown: boolean
  readonly value?: unknown
}

const LOST = JSON.stringify({ isKnown: false } satisfies Outcome)

/**
 * The store for one request under a key. The transaction that makes the change of its operation, as its option `answers`
 * says, also records what it returned beside the claim on the key; it is rolled back if the claim has passed to another
 * request. A repetition of the request gets the recorded outcome instead of that transaction, so it changes nothing twice
 * and gives the same answer. All other transactions of the verb run as usual: they do what is due anyway.
 */
export function fenceStore(store: Store, claim: ReplyClaim, operation: OperationName): Store {
  const transact: Store['transact'] = async (verb, options = {}) => {
    if (!options.answers?.includes(operation)) return store.transact(verb, options)
    return claim.outcome === null ? record(verb, options) : repeat(claim, claim.outcome)
  }

  function record<T>(verb: (tx: Shelves) => Promise<T>, options: TransactOptions): Promise<T> {
    return store.transact(async (tx) => {
      const value = await verb(tx)
      const isMine = await tx.replies.record({ ...claim, outcome: describeOutcome(value) })
      if (!isMine) throw new PosternError('IDEMPOTENCY_BUSY', { key: claim.key })
      return value
    }, options)
  }

  return {
    engine: store.engine,
    location: store.location,
    transact,
    single: (call, options) => store.single(call, options),
    push: (params) => store.push(params),
    read: store.read,
    hasLost: store.hasLost,
    now: () => store.now(),
    ago: (ms) => store.ago(ms),
    check: () => store.check(),
    audit: (params) => store.audit(params),
    verify: () => store.verify(),
    backup: (path) => store.backup(path),
    close: () => store.close(),
  }
}

function repeat<T>({ key }: ReplyClaim, recorded: string): T {
  const { isKnown, value }: Outcome = JSON.parse(recorded)
  if (!isKnown) throw new PosternError('IDEMPOTENCY_LOST', { key })
  return value as T
}

/** Sets, maps and the like do not survive JSON. */
function describeOutcome(value: unknown): string {
  if (!isPlain(value)) return LOST
  const described = JSON.stringify({ isKnown: true, value } satisfies Outcome)
  return described.length <= MAX_RECORDED_CHARACTERS ? described : LOST
}

function isPlain(value: unknown): boolean {
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value)) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every((item) => item !== undefined && isPlain(item))
  if (typeof value !== 'object') return false
  const made = Object.getPrototypeOf(value)
  return (made === Object.prototype || made === null) && Object.values(value).every(isPlain)
}
