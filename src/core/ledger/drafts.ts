import { formatHcs10, isInline } from '../../model/ledger/hcs10.ts'
import { formatFileLink, type Hcs10TopicType, transactionMemo } from '../../model/ledger/memos.ts'
import { formatOperatorId } from '../../model/ledger/operator.ts'
import type { ParcelDraft, ParcelStep } from '../../model/ledger/parcel.ts'
import { priceOfSteps } from '../../model/ledger/price.ts'
import { formatAccountKey } from '../../model/ledger/topic-key.ts'
import type { Context, Ledgers } from '../context.ts'
import type { LedgerPlace } from './identities/identity.ts'

/** A parcel with its price; on the local ledger nothing costs anything. */
export function draftParcel({ ledger }: Ledgers, parcel: Omit<ParcelDraft, 'price'>): ParcelDraft {
  return { ...parcel, price: ledger.within ? 0 : priceOfSteps(parcel.steps) }
}

export interface Saying {
  readonly from: LedgerPlace
  readonly topicId: string
  readonly topicType: Hcs10TopicType
  readonly data: string
  readonly mime: string
}

/** The steps by which an HCS-10 message comes on a topic: one, or a file before it where it is too long to stand there. */
export function messageSteps(ctx: Context, ledgers: Ledgers, saying: Saying): readonly ParcelStep[] {
  const { from, topicId, topicType, data, mime } = saying
  const memo = transactionMemo('message', topicType)
  const operator_id = formatOperatorId(from)
  const text = formatHcs10({ op: 'message', operator_id, data })
  if (isInline(text)) return [submissionTo(topicId, text, memo)]
  const file = fileSteps(ctx, ledgers, { agent: from.agent, account: from.account, mime, content: data })
  const link = formatHcs10({ op: 'message', operator_id, data: formatFileLink(file.reference) })
  return [...file.steps, submissionTo(topicId, link, memo)]
}

export interface FileSteps {
  readonly steps: readonly ParcelStep[]
  /** Under which name its topic is made, and how later steps refer to it. */
  readonly name: string
  readonly reference: string
}

/** An HCS-1 file. Nobody can have written its name into a text before, for it is new. */
export function fileSteps(
  ctx: Context,
  { codec }: Ledgers,
  file: { readonly agent: string; readonly account: string; readonly mime: string; readonly content: string },
): FileSteps {
  const name = ctx.newId('file')
  const reference = `{${name}}`
  const { memo, entries } = codec.encodeFile({ mime: file.mime, content: file.content })
  const topic: ParcelStep = {
    kind: 'topic',
    name,
    memo,
    adminKey: null,
    submitKey: formatAccountKey(file.account),
    role: 'file',
    agent: file.agent,
    entity: null,
  }
  return { steps: [topic, ...entries.map((text) => submissionTo(reference, text))], name, reference }
}

export function submissionTo(
  topicId: string,
  text: string,
  memo = '',
  options: { readonly mayChunk?: boolean; readonly isRecord?: boolean } = {},
): ParcelStep {
  return { kind: 'submission', topicId, text, memo, mayChunk: false, ...options }
}
