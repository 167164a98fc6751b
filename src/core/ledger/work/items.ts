import { PosternError } from '../../../model/errors.ts'
import { formatWorkMemo, requireMemo } from '../../../model/ledger/memos.ts'
import type { ParcelDraft } from '../../../model/ledger/parcel.ts'
import { isLedgerId, type LedgerTopic } from '../../../model/ledger/topic.ts'
import { formatAccountKey } from '../../../model/ledger/topic-key.ts'
import { formatWorkItem, parseWorkItem } from '../../../model/ledger/work-item.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Ledgers, LedgerTx } from '../../context.ts'
import { draftParcel } from '../drafts.ts'
import { publish } from '../publish.ts'

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

/** What has to be published before anything can be written about an item; undefined where its topic is there or comes. */
export async function draftWork(ltx: LedgerTx, { entity, topic }: FoundWork): Promise<ParcelDraft | undefined> {
  const { ledgers } = ltx
  if (topic) return undefined
  if (!ledgers.ledger.within && (await isOnItsWay(ltx, entity))) return undefined
  const { operator } = ledgers.ledger
  return draftParcel(ledgers, {
    purpose: 'work',
    about: entity,
    lane: entity,
    payer: operator,
    steps: [
      {
        kind: 'topic',
        name: 'work',
        memo: requireMemo(formatWorkMemo(entity)),
        adminKey: formatAccountKey(operator),
        submitKey: null,
        role: 'work',
        agent: null,
        entity,
      },
    ],
    message: null,
  })
}

async function isOnItsWay({ ledgers, tx }: LedgerTx, entity: string): Promise<boolean> {
  const { network } = ledgers.ledger
  // Whoever has begun the same has committed by the time we hold the counter.
  await tx.ledger.nextNumber()
  const open = await tx.ledger.openParcels({ lane: entity })
  const [topic] = await tx.ledger.listTopics({ network, entity })
  return topic !== undefined || open.some(({ purpose }) => purpose === 'work')
}

/** The topic of an item once its draft is published; undefined while it is on its way. */
export async function publishWork(
  ltx: LedgerTx,
  { topic }: FoundWork,
  draft: ParcelDraft | undefined,
): Promise<LedgerTopic | undefined> {
  const { tx } = ltx
  if (!draft) return topic
  const { made } = await publish(ltx, draft)
  const id = made['work']
  return id === undefined ? undefined : tx.ledger.getTopic({ id })
}
