import type { LedgerEntry } from '../../model/ledger/entry.ts'
import { isConsensusTime } from '../../model/ledger/entry.ts'
import { isLedgerId } from '../../model/ledger/topic.ts'
import type { Outcome, ReadAfter } from '../ledger.ts'
import { ProtocolError } from '../protocol/bytes.ts'
import { parseTransaction } from '../protocol/names.ts'
import type { Faults } from './faults.ts'
import type { MirrorRest } from './mirror-rest.ts'
import { asWords, readEntries, readKey } from './mirror-words.ts'

/** What can be read of the ledger, a few seconds behind it. */
export interface Mirror {
  topic(id: string): Promise<MirroredTopic | undefined>
  account(id: string): Promise<MirroredAccount | undefined>
  readAfter(params: ReadAfter): Promise<readonly LedgerEntry[]>
  /** The time of one entry; undefined where there is none. */
  timeOf(topicId: string, sequence: number): Promise<string | undefined>
  outcome(transaction: string): Promise<Outcome>
  /** Up to which time it knows the ledger, in seconds; undefined where it does not say. */
  knownUntil(): Promise<number | undefined>
}

export interface MirroredTopic {
  readonly memo: string
  readonly adminKey: Uint8Array | null
  readonly submitKey: Uint8Array | null
  readonly isDeleted: boolean
}

export interface MirroredAccount {
  readonly memo: string
  readonly key: Uint8Array | null
}

/** A mirror gives no more at once. */
const PAGE = 100

export function createMirror(rest: MirrorRest, faults: Faults): Mirror {
  /** What makes no sense is no answer. */
  async function ask<T>(
    path: string,
    read: (value: Readonly<Record<string, unknown>>) => T,
    get = rest.get,
  ): Promise<T | undefined> {
    const value = await get(path)
    if (value === undefined) return undefined
    try {
      return read(value)
    } catch (error) {
      if (error instanceof ProtocolError) throw faults.unreachable(`the mirror talks nonsense: ${error.message}`, error)
      throw error
    }
  }

  async function readPage(topicId: string, after: number, limit: number): Promise<readonly LedgerEntry[]> {
    // A mirror knows no entry with the number 0, not even to begin behind it.
    const path = `/api/v1/topics/${topicId}/messages?sequencenumber=gte:${after + 1}&order=asc&limit=${limit}`
    return inOrder((await ask(path, (page) => readEntries(page, topicId))) ?? [], after)
  }

  return {
    topic: (id) => ask(`/api/v1/topics/${id}`, readTopic, rest.lookUp),
    account: (id) => ask(`/api/v1/accounts/${id}?transactions=false`, readAccount, rest.lookUp),
    async readAfter({ topicId, after, limit }) {
      const entries: LedgerEntry[] = []
      while (entries.length < limit) {
        const wanted = Math.min(PAGE, limit - entries.length)
        const page = await readPage(topicId, entries.at(-1)?.sequence ?? after, wanted)
        entries.push(...page)
        if (page.length < wanted) break
      }
      return entries.slice(0, limit)
    },
    timeOf: (topicId, sequence) =>
      ask(`/api/v1/topics/${topicId}/messages/${sequence}`, ({ consensus_timestamp: time }) => {
        if (!isConsensusTime(time)) throw new ProtocolError('a message has no time')
        return time
      }),
    async outcome(transaction) {
      const { account, validStart } = parseTransaction(transaction)
      const path = `/api/v1/transactions/${account}-${validStart.replace('.', '-')}`
      const found = await ask(path, readTransaction)
      if (!found) return { state: 'unknown' }
      if (found.result !== 'SUCCESS') return { state: 'refused', status: found.result }
      if (!found.isSubmission) return { state: 'done', topicId: found.entity, sequence: null }
      const message = await ask(`/api/v1/topics/messages/${found.consensusAt}`, readSequence)
      if (message === undefined) throw faults.unreachable(`the mirror does not show the message of ${transaction} yet`)
      return { state: 'done', topicId: null, sequence: message }
    },
    knownUntil: () => ask('/api/v1/blocks?limit=1&order=desc', readBlockTime),
  }
}

/** Each once, in the order of their numbers, whatever the mirror has made of it. */
function inOrder(entries: readonly LedgerEntry[], after: number): readonly LedgerEntry[] {
  const bySequence = new Map(entries.filter(({ sequence }) => sequence > after).map((entry) => [entry.sequence, entry]))
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence)
}

function readTopic(value: Readonly<Record<string, unknown>>): MirroredTopic {
  const { memo, deleted } = value
  if (typeof memo !== 'string') throw new ProtocolError('a topic has no memo')
  return {
    memo,
    adminKey: readKey(value['admin_key']),
    submitKey: readKey(value['submit_key']),
    isDeleted: deleted === true,
  }
}

function readAccount({ memo, key }: Readonly<Record<string, unknown>>): MirroredAccount {
  return { memo: typeof memo === 'string' ? memo : '', key: readKey(key) }
}

/** Of several under one name the one that counted. */
function readTransaction({ transactions }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(transactions)) throw new ProtocolError('there is no list of transactions')
  const all = transactions.map((transaction) => asWords(transaction, 'a transaction'))
  const counted = all.find(({ result }) => result === 'SUCCESS') ?? all[0]
  if (!counted) return undefined
  const { result, name, entity_id: entity, consensus_timestamp: consensusAt } = counted
  if (typeof result !== 'string' || !/^[A-Z0-9_]{1,80}$/.test(result)) throw new ProtocolError('it has no result')
  if (!isConsensusTime(consensusAt)) throw new ProtocolError('a transaction has no time')
  const isSubmission = name === 'CONSENSUSSUBMITMESSAGE'
  const isTopic = name === 'CONSENSUSCREATETOPIC'
  if (isTopic && result === 'SUCCESS' && !isLedgerId(entity)) throw new ProtocolError('a new topic has no id')
  return { result, consensusAt, isSubmission, entity: isTopic && isLedgerId(entity) ? entity : null }
}

function readSequence({ sequence_number: sequence }: Readonly<Record<string, unknown>>): number {
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 1) throw new ProtocolError('a message has no number')
  return sequence as number
}

function readBlockTime({ blocks }: Readonly<Record<string, unknown>>): number | undefined {
  const [block] = Array.isArray(blocks) ? blocks : []
  const { timestamp } = block === undefined ? {} : asWords(block, 'a block')
  const { to } = timestamp === undefined ? {} : asWords(timestamp, 'a time')
  return isConsensusTime(to) ? Number(to.split('.')[0]) : undefined
}
