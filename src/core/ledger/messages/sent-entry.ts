import type { PublishMode, SentMessage } from '../../../model/ledger/ledgers.ts'
import { canonicalBody, formatHashedData, formatMessageData } from '../../../model/ledger/message-data.ts'
import type { LedgerParcel, ParcelDraft } from '../../../model/ledger/parcel.ts'
import type { Message } from '../../../model/message.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Context, Ledgers } from '../../context.ts'
import { requireNoSecret } from '../budget.ts'
import { draftParcel, messageSteps, submissionTo } from '../drafts.ts'
import { ensureIdentity, writerOf } from '../identities/identity.ts'
import { dataOf } from './compose.ts'

const MIME = 'application/json'

/** The entry on the recipient's inbound topic, and what the sender's outbound topic says of it. */
export async function draftEntry(
  ctx: Context,
  ledgers: Ledgers,
  tx: Shelves,
  message: Message,
  mode: PublishMode,
): Promise<ParcelDraft> {
  const [agent = ''] = message.to
  const data = formatData(ledgers, message, mode)
  requireNoSecret(ledgers, mode, data)
  const to = await ensureIdentity(ctx, ledgers, tx, agent)
  const from = await ensureIdentity(ctx, ledgers, tx, writerOf(ctx.caller))
  const topicId = to.inboundTopicId
  const record = { type: 'sent', message_id: message.id, topic_id: topicId, sha256: ledgers.codec.sha256(data) }
  return draftParcel(ledgers, {
    purpose: 'message',
    about: agent,
    lane: topicId,
    payer: from.account,
    steps: [
      ...messageSteps(ctx, ledgers, { from, topicId, topicType: 'inbound', data, mime: MIME }),
      submissionTo(from.outboundTopicId, JSON.stringify(record), '', { isRecord: true }),
    ],
    message,
  })
}

function formatData({ codec }: Ledgers, message: Message, mode: PublishMode): string {
  const data = dataOf(message)
  return mode === 'full' ? formatMessageData(data) : formatHashedData(data, codec.sha256(canonicalBody(data)))
}

export type EntryPlace = Pick<SentMessage, 'topic_id' | 'sequence' | 'parcel'>

/** Where the message stands that was sent before under the same key; nowhere, if it was only put into the inbox. */
export async function earlierEntry(tx: Shelves, messageId: string): Promise<EntryPlace> {
  const parcel = await tx.ledger.parcelOfMessage({ messageId })
  return parcel ? placeOf(parcel) : NOWHERE
}

export function placeOf({ lane, id, state, sequence }: LedgerParcel): EntryPlace {
  return { topic_id: lane, sequence, parcel: state === 'published' ? null : id }
}

export const NOWHERE: EntryPlace = { topic_id: null, sequence: null, parcel: null }
