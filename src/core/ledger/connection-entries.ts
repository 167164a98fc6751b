import type { LedgerConnection } from '../../model/ledger/connection.ts'
import { formatHcs10 } from '../../model/ledger/hcs10.ts'
import type { LedgerIdentity } from '../../model/ledger/identity.ts'
import { formatConnectionMemo, transactionMemo } from '../../model/ledger/memos.ts'
import { formatOperatorId } from '../../model/ledger/operator.ts'
import type { LedgerParcel, ParcelDraft, ParcelStep } from '../../model/ledger/parcel.ts'
import { formatAccountKey } from '../../model/ledger/topic-key.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context, Ledgers, LedgerTx } from '../context.ts'
import { draftParcel, submissionTo } from './drafts.ts'
import { follow, UNKNOWN_HASH } from './follow.ts'

type Place = Pick<LedgerIdentity, 'account' | 'inboundTopicId' | 'outboundTopicId'>

/** Where a record must name a topic that nobody knows. */
const UNKNOWN_TOPIC = '0.0.0'

/** Asks an outsider: a request on its inbound topic, and a record of it on the outbound topic of the one who asks. */
export function requestDraft(ledgers: Ledgers, from: Place, connection: LedgerConnection): ParcelDraft {
  const { id, requestTopicId } = connection
  const request = formatHcs10({ op: 'connection_request', operator_id: formatOperatorId(from) })
  const record = formatHcs10({
    op: 'connection_request',
    operator_id: peerOperator(connection),
    outbound_topic_id: from.outboundTopicId,
    connection_request_id: 0,
  })
  return draftParcel(ledgers, {
    purpose: 'request',
    about: id,
    lane: requestTopicId,
    payer: from.account,
    message: null,
    steps: [
      named('request', submissionTo(requestTopicId, request, transactionMemo('connection_request', 'inbound'))),
      recordOn(
        from,
        withPlace(record, 'connection_request_id', 'request'),
        transactionMemo('connection_request', 'outbound'),
      ),
    ],
  })
}

/** Answers an outsider: a topic for the two of them, a confirmation on the own inbound topic, and a record of it. */
export function acceptDraft(ledgers: Ledgers, by: LedgerIdentity, connection: LedgerConnection): ParcelDraft {
  const { id, peerAccount, requestId } = connection
  const connectionId = requestId ?? 0
  // Either side may write there and change it, as the reference has it.
  const key = formatAccountKey(by.account, peerAccount)
  const created = formatHcs10({
    op: 'connection_created',
    connection_topic_id: '{connection}',
    connected_account_id: peerAccount,
    operator_id: formatOperatorId(by),
    connection_id: connectionId,
  })
  const record = createdRecord(by, connection, { topicId: '{connection}', connectionId })
  return draftParcel(ledgers, {
    purpose: 'accept',
    about: id,
    lane: by.inboundTopicId,
    payer: by.account,
    message: null,
    steps: [
      {
        kind: 'topic',
        name: 'connection',
        memo: formatConnectionMemo(by.inboundTopicId, connectionId),
        adminKey: key,
        submitKey: key,
        role: 'connection',
        agent: by.agent,
        entity: null,
      },
      named('created', submissionTo(by.inboundTopicId, created, transactionMemo('connection_created', 'inbound'))),
      recordOn(by, withPlace(record, 'confirmed_request_id', 'created'), CREATED_RECORD),
    ],
  })
}

/** The record of the one who asked, once the answer is there. `confirmedId` is the place of that answer. */
export function openedDraft(
  ledgers: Ledgers,
  by: LedgerIdentity,
  connection: LedgerConnection,
  confirmedId: number,
): ParcelDraft {
  const connectionId = connection.requestId ?? 0
  const record = createdRecord(by, connection, { topicId: connection.topicId ?? UNKNOWN_TOPIC, connectionId })
  const text = record.replace(`"confirmed_request_id":0`, `"confirmed_request_id":${confirmedId}`)
  return draftParcel(ledgers, {
    purpose: 'sent',
    about: connection.id,
    lane: by.outboundTopicId,
    payer: by.account,
    message: null,
    steps: [recordOn(by, text, CREATED_RECORD)],
  })
}

/** Ends a connection: said on its topic, and recorded. */
export function closeDraft(ledgers: Ledgers, by: LedgerIdentity, connection: LedgerConnection): ParcelDraft {
  const reason = connection.reason === null ? {} : { reason: connection.reason }
  const topicId = connection.topicId ?? UNKNOWN_TOPIC
  const close = formatHcs10({ op: 'close_connection', operator_id: formatOperatorId(by), ...reason })
  const record = formatHcs10({
    op: 'connection_closed',
    connection_topic_id: topicId,
    close_method: 'explicit',
    operator_id: peerOperator(connection),
    ...reason,
  })
  return draftParcel(ledgers, {
    purpose: 'close',
    about: connection.id,
    lane: topicId,
    payer: by.account,
    message: null,
    steps: [
      submissionTo(topicId, close, transactionMemo('close_connection', 'connection')),
      recordOn(by, record, transactionMemo('connection_closed', 'outbound')),
    ],
  })
}

/** The request stands on the ledger: from now on the answer is looked for behind it. */
export async function completeRequest(ltx: LedgerTx, parcel: LedgerParcel): Promise<void> {
  const { tx } = ltx
  const connection = await tx.ledger.getConnection({ id: parcel.about ?? '' })
  if (!connection || parcel.sequence === null) return
  await tx.ledger.putConnection({ ...connection, requestId: parcel.sequence })
  await lookAgain(ltx, connection.requestTopicId, parcel.sequence)
  await follow(ltx, {
    id: connection.requestTopicId,
    role: 'foreign',
    agent: null,
    // What stands before the request is not ours to read, so nothing is known of the chain up to there.
    from: { sequence: parcel.sequence, runningHash: UNKNOWN_HASH },
  })
}

/** Whoever listens there because of another request may have passed the answer before it was known to be one. */
async function lookAgain({ ledgers, tx }: LedgerTx, topicId: string, sequence: number): Promise<void> {
  const { ledger } = ledgers
  const topic = await tx.ledger.lockTopic({ id: topicId })
  if (topic?.network !== ledger.network || ledger.within || topic.takenIn <= sequence) return
  await tx.ledger.setTakenIn({ topicId, sequence })
}

/** The topic of the connection is there and announced, unless somebody has given the connection up meanwhile. */
export async function completeAccept({ tx }: LedgerTx, parcel: LedgerParcel): Promise<void> {
  const connection = await tx.ledger.getConnection({ id: parcel.about ?? '' })
  const topicId = parcel.made['connection']
  if (connection?.state !== 'requested' || topicId === undefined) return
  await tx.ledger.putConnection({ ...connection, topicId, state: 'open' })
}

/** Where the other side is not told that a connection is closed, it is over from now on all the same. */
export async function endUntold(ctx: Context, tx: Shelves, { purpose, about, done }: LedgerParcel): Promise<void> {
  if (purpose !== 'close' || done > 0) return
  const connection = await tx.ledger.getConnection({ id: about ?? '' })
  if (connection?.closedAt === null) await tx.ledger.putConnection({ ...connection, closedAt: ctx.store.now() })
}

const CREATED_RECORD = transactionMemo('connection_created', 'outbound')

/** Both sides record it, each on its own outbound topic and each naming the other. */
function createdRecord(
  by: Place,
  connection: LedgerConnection,
  { topicId, connectionId }: { readonly topicId: string; readonly connectionId: number },
): string {
  const peerOutbound = connection.peerOutboundTopicId ?? UNKNOWN_TOPIC
  return formatHcs10({
    op: 'connection_created',
    connection_topic_id: topicId,
    outbound_topic_id: by.outboundTopicId,
    requestor_outbound_topic_id: connection.isIncoming ? peerOutbound : by.outboundTopicId,
    confirmed_request_id: 0,
    connection_request_id: connectionId,
    operator_id: peerOperator(connection),
  })
}

function peerOperator({ peerInboundTopicId, peerAccount }: LedgerConnection): string {
  return formatOperatorId({ inboundTopicId: peerInboundTopicId, account: peerAccount })
}

/** A number that is known only when an earlier step is done. */
function withPlace(text: string, field: string, step: string): string {
  return text.replace(`"${field}":0`, `"${field}":{${step}}`)
}

function named(name: string, step: ParcelStep): ParcelStep {
  return step.kind === 'submission' ? { ...step, name } : step
}

function recordOn({ outboundTopicId }: Place, text: string, memo: string): ParcelStep {
  return submissionTo(outboundTopicId, text, memo, { isRecord: true })
}
