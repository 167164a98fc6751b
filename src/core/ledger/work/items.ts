import { PosternError } from '../../../model/errors.ts'
import { formatWorkMemo, requireMemo } from '../../../model/ledger/memos.ts'
import { isLedgerId, type LedgerTopic } from '../../../model/ledger/topic.ts'
import { formatAccountKey } from '../../../model/ledger/topic-key.ts'
import { formatWorkItem, parseWorkItem } from '../../../model/ledger/work-item.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Ledgers, LedgerTx } from '../../context.ts'
import type { Publication } from '../publish.ts'

export interface FoundWork {
  /** Such as `task:PROJ-12`. */
  readonly entity: string
  readonly topic: LedgerTopic | undefined
}

/** The work item that is meant by its name, or by its topic. */
export async function findWork({ ledger }: Ledgers, shelves: Shelves, meant: string): Promise<FoundWork> {
  const { network } = ledger
  if (!isLedgerId(meant)) {
    const entity = formatWorkItem(parseWorkItem(meant))
    const [topic] = await shelves.ledger.listTopics({ network, entity })
    return { entity, topic }
  }
  const topic = await shelves.ledger.getTopic({ id: meant })
  if (topic?.network === network && topic.entity !== null) return { entity: topic.entity, topic }
  throw new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic: meant, network })
}

/** Makes the topic of an item. Undefined if the topic is there already, or on its way. */
export async function workPublication(ltx: LedgerTx, { entity, topic }: FoundWork): Promise<Publication | undefined> {
  if (topic) return undefined
  const { within, operator } = ltx.ledgers.ledger
  if (!within && (await isOnItsWay(ltx, entity))) return undefined
  const memo = requireMemo(formatWorkMemo(entity))
  const adminKey = formatAccountKey(operator)
  return {
    purpose: 'work',
    about: entity,
    lane: entity,
    payer: operator,
    message: null,
    async write(entryWriter) {
      await entryWriter.createTopic({
        name: 'work',
        memo,
        adminKey,
        submitKey: null,
        role: 'work',
        agent: null,
        entity,
      })
    },
  }
}

async function isOnItsWay({ ledgers, tx }: LedgerTx, entity: string): Promise<boolean> {
  const { network } = ledgers.ledger
  // A transaction that has begun the same is committed by the time this one holds the counter.
  await tx.ledger.nextNumber()
  const open = await tx.ledger.openParcels({ lane: entity })
  const [topic] = await tx.ledger.listTopics({ network, entity })
  return topic !== undefined || open.some(({ purpose }) => purpose === 'work')
}

export async function requireTopicOfItem(shelves: Shelves, network: string, entity: string): Promise<string> {
  const [topic] = await shelves.ledger.listTopics({ network, entity })
  if (topic) return topic.id
  throw new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic: entity, network })
}
