import type { LedgerEntry } from '../../model/ledger/entry.ts'
import { type LedgerTopic, parseLedgerId } from '../../model/ledger/topic.ts'
import type { LedgerShelf, Store } from '../../store/store.ts'
import type { Ledger, Submission, Submitted, TopicFacts, Transacted } from '../ledger.ts'
import { requireMemo } from '../rules.ts'
import { createFollowing } from './following.ts'
import { entriesOf, refusalOf } from './rules.ts'
import { createStarts } from './starts.ts'
import { createWriter } from './writer.ts'

export interface LocalLedgerOptions {
  readonly store: Store
}

export interface LocalLedger extends Ledger {
  readonly kind: 'local'
  readonly within: NonNullable<Ledger['within']>
}

export const LOCAL_NETWORK = 'local'
export const LOCAL_OPERATOR = '0.0.2'

const MAX_PAGE = 1_000

/**
 * The ledger that is a part of the store. Only this deployment vouches for it: whoever can write to the store can write
 * all of it anew. What it has said to others, a mark or a proof, still tells whether it was.
 *
 * A transaction is kept with the entry that it added, and for a day where it did something else; `within` needs none,
 * because the transaction of the store is all or nothing.
 */
export function createLocalLedger({ store }: LocalLedgerOptions): LocalLedger {
  const now = () => store.now()
  const read = store.read.ledger
  const newTransaction = createStarts(now)
  const following = createFollowing(read)
  const writerOf = (shelf: LedgerShelf) => createWriter(shelf, { now, newTransaction })

  return {
    kind: 'local',
    network: LOCAL_NETWORK,
    isPublic: false,
    operator: LOCAL_OPERATOR,
    within: (tx) => writerOf(tx.ledger),
    newTransaction: (account = LOCAL_OPERATOR) => newTransaction(account),

    createTopic: ({ transaction, ...topic }) =>
      store.transact(async ({ ledger }) => {
        const known = await ledger.getTransaction({ id: transaction })
        if (known?.topicId) return { topicId: known.topicId }
        const { id: topicId } = await writerOf(ledger).createTopic({ ...topic, owner: FOREIGN })
        await ledger.putTransaction({ ...NOTHING, id: transaction, topicId, createdAt: now() })
        return { topicId }
      }),

    async submit(submission) {
      const [only = '', ...more] = entriesOf(submission)
      const done = more.length === 0 ? await submitOne(submission, only) : await submitMany(submission)
      following.wake(submission.topicId)
      return done
    },

    async setAccountMemo({ account, memo, transaction }) {
      requireMemo(memo)
      await store.transact(async ({ ledger }) => {
        if (await ledger.getTransaction({ id: transaction })) return
        const known = await ledger.getAccount({ id: account })
        await ledger.putAccount({ id: account, key: '', createdAt: now(), ...known, memo })
        await ledger.putTransaction({ ...NOTHING, id: transaction, account, createdAt: now() })
      })
    },

    async outcome(transaction) {
      const { topicId, sequence } = (await read.entryOf({ transaction })) ?? {}
      if (topicId !== undefined && sequence !== undefined) return { state: 'done', topicId, sequence }
      const known = await read.getTransaction({ id: transaction })
      return known ? { state: 'done', topicId: known.topicId, sequence: known.sequence } : { state: 'unknown' }
    },

    async topic(id) {
      const topic = await read.getTopic({ id })
      return topic?.network === LOCAL_NETWORK ? factsOf(topic) : undefined
    },

    async account(id) {
      const account = await read.getAccount({ id })
      if (account) return { id, memo: account.memo }
      const identities = await read.identities({ network: LOCAL_NETWORK })
      return identities.some((identity) => identity.account === id) ? { id, memo: '' } : undefined
    },

    readAfter: ({ topicId, after, limit }) => read.entriesAfter({ topicId, after, limit: Math.min(limit, MAX_PAGE) }),

    subscribe: (params) => following.follow(params),
    close: async () => following.close(),
  }

  /** A single call on the shelf, which on PostgreSQL is a single statement. */
  async function submitOne(submission: Submission & Transacted, message: string): Promise<Submitted> {
    const { topicId, transaction } = submission
    const payer = parseLedgerId(submission.payer)
    const entry = await store.single((tx) =>
      tx.ledger.addEntry({ topicId, payer, message, chunk: null, transaction, isSigned: false, now: now() }),
    )
    const added = entry ?? (await read.entryOf({ transaction }))
    if (!added) throw await refusalOf(read, submission)
    return submitted(added)
  }

  function submitMany(submission: Submission & Transacted): Promise<Submitted> {
    const { transaction } = submission
    return store.transact(async ({ ledger }) => {
      const entry = await ledger.entryOf({ transaction })
      return submitted(entry ?? (await writerOf(ledger).submit(submission, transaction)).at(-1))
    })
  }
}

const FOREIGN = { role: 'foreign', agent: null, entity: null } as const
const NOTHING = { topicId: null, account: null, sequence: null, runningHash: null }

function submitted(last: LedgerEntry | undefined): Submitted {
  if (!last) throw new Error('a message has at least one part')
  return { sequence: last.sequence, runningHash: last.runningHash }
}

function factsOf({ id, memo, adminKey, submitKey, deletedAt }: LedgerTopic): TopicFacts {
  return { id, memo, adminKey, submitKey, isDeleted: deletedAt !== null }
}
