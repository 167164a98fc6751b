import { formatHcs10, isInline } from '../../model/ledger/hcs10.ts'
import { formatFileLink, type Hcs10TopicType, transactionMemo } from '../../model/ledger/memos.ts'
import { formatOperatorId } from '../../model/ledger/operator.ts'
import { formatAccountKey } from '../../model/ledger/topic-key.ts'
import type { Ledgers } from '../context.ts'
import type { LedgerPlace } from './identities/identity.ts'
import type { EntryWriter } from './publish.ts'

export interface MessageEntry {
  readonly from: LedgerPlace
  readonly topicId: string
  readonly topicType: Hcs10TopicType
  readonly data: string
  readonly mime: string
}

/** Writes an HCS-10 message on a topic. One that is too long for an entry goes into a file, and the entry links to it. */
export async function writeMessage(ledgers: Ledgers, entryWriter: EntryWriter, entry: MessageEntry): Promise<void> {
  const { from, topicId, topicType, data, mime } = entry
  const memo = transactionMemo('message', topicType)
  const operator_id = formatOperatorId(from)
  const inline = formatHcs10({ op: 'message', operator_id, data })
  if (isInline(inline)) {
    await entryWriter.submit({ topicId, text: inline, memo })
    return
  }
  const file = { agent: from.agent, account: from.account, mime, content: data }
  const link = formatFileLink(await writeFile(ledgers, entryWriter, file))
  await entryWriter.submit({ topicId, text: formatHcs10({ op: 'message', operator_id, data: link }), memo })
}

export interface NewFile {
  readonly agent: string
  /** Whose key may write to the file. */
  readonly account: string
  readonly mime: string
  readonly content: string
}

/** Writes an HCS-1 file on a topic of its own, and returns that topic. */
export async function writeFile({ codec }: Ledgers, entryWriter: EntryWriter, file: NewFile): Promise<string> {
  const { agent, account, mime, content } = file
  const { memo, entries } = codec.encodeFile({ mime, content })
  const topicId = await entryWriter.createTopic({
    name: null,
    memo,
    adminKey: null,
    submitKey: formatAccountKey(account),
    role: 'file',
    agent,
    entity: null,
  })
  for (const text of entries) await entryWriter.submit({ topicId, text })
  return topicId
}
