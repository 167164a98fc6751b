import type { LedgerEntry } from '../../model/ledger/entry.ts'
import { GENESIS_HASH, type LedgerTopic, parseLedgerId } from '../../model/ledger/topic.ts'
import type { LedgerShelf } from '../../store/store.ts'
import type { LedgerWriter, Submission } from '../ledger.ts'
import { requireMemo } from '../rules.ts'
import { entriesOf, refusalOf, requireKey } from './rules.ts'

interface WriterMeans {
  readonly now: () => number
  readonly newTransaction: (account: string) => string
}

export interface LocalWriter extends LedgerWriter {
  /** The chunks of a long message share the transaction that is named. */
  submit(params: Submission, transaction?: string): Promise<readonly LedgerEntry[]>
}

/** Writes to the ledger as a part of the transaction whose shelf it is. */
export function createWriter(shelf: LedgerShelf, { now, newTransaction }: WriterMeans): LocalWriter {
  return {
    async createTopic({ memo, adminKey, submitKey, owner }) {
      requireMemo(memo)
      requireKey(adminKey)
      requireKey(submitKey)
      const topic: LedgerTopic = {
        id: `0.0.${await shelf.nextNumber()}`,
        network: 'local',
        ...owner,
        memo,
        adminKey,
        submitKey,
        ...EMPTY,
        createdAt: now(),
        deletedAt: null,
      }
      await shelf.insertTopic(topic)
      return topic
    },

    async submit(submission, transaction) {
      const { topicId } = submission
      const payer = parseLedgerId(submission.payer)
      const parts = entriesOf(submission)
      const shared = parts.length > 1 ? (transaction ?? newTransaction(payer)) : null
      const entries: LedgerEntry[] = []
      for (const [at, message] of parts.entries()) {
        const chunk = shared === null ? null : { transaction: shared, number: at + 1, total: parts.length }
        const added = await shelf.addEntry({
          ...{
            topicId,
            payer,
            message,
            chunk,
            transaction: at + 1 < parts.length ? null : (transaction ?? null),
            isSigned: false,
            now: now(),
          },
        })
        if (!added) throw await refusalOf(shelf, submission)
        entries.push(added)
      }
      return entries
    },
  }
}

const EMPTY = { sequence: 0, runningHash: GENESIS_HASH, consensusAt: null, takenIn: 0, trouble: null }
