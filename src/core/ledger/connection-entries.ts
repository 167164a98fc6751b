import type { LedgerConnection } from '../../model/ledger/connection.ts'
import { formatHcs10 } from '../../model/ledger/hcs10.ts'
import type { LedgerIdentity } from '../../model/ledger/identity.ts'
import { formatConnectionMemo, transactionMemo } from '../../model/ledger/memos.ts'
import { formatOperatorId } from '../../model/ledger/operator.ts'
import type { LedgerParcel } from '../../model/ledger/parcel.ts'
import { type TopicRole, UNKNOWN_HASH } from '../../model/ledger/topic.ts'
import { formatAccountKey } from '../../model/ledger/topic-key.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context, LedgerTx } from '../context.ts'
import type { LedgerEntryDraft, Publication, PublicationOutcome } from './publish.ts'

type Place = Pick<LedgerIdentity, 'account' | 'inboundTopicId' | 'outboundTopicId'>

/** Stands for a topic that a record must name though it is not known. */
const UNKNOWN_TOPIC = '0.0.0'

/** Asks an outsider: a request on its inbound topic, and a record of it on the outbound topic of the one who asks. */
export function requestPublication(from: Place, connection: LedgerConnection): Publication {
  const { id, requestTopicId: topicId } = connection
  return {
    purpose: 'request',
    about: id,
    lane: topicId,
    payer: from.account,
    message: null,
    async write(entryWriter) {
      const request = formatHcs10({ op: 'connection_request', operator_id: formatOperatorId(from) })
      const memo = transactionMemo('connection_request', 'inbound')
      const sequence = await entryWriter.submit({ name: 'request', topicId, text: request, memo })
      const record = formatHcs10({
        op: 'connection_request',
        operator_id: peerOperator(connection),
        outbound_topic_id: from.outboundTopicId,
        connection_request_id: 0,
      })
      const text = withSequence(record, 'connection_request_id', sequence)
      await entryWriter.submit(recordOn(from, text, transactionMemo('connection_request', 'outbound')))
    },
  }
}

/** Answers an outsider: a topic for the two of them, a confirmation on the own inbound topic, and a record of it. */
export function acceptPublication(by: LedgerIdentity, connection: LedgerConnection): Publication {
  const { id, peerAccount, requestId } = connection
  const connectionId = requestId ?? 0
  return {
    purpose: 'accept',
    about: id,
    lane: by.inboundTopicId,
    payer: by.account,
    message: null,
    async write(entryWriter) {
      // Either side may write there and change it, as the reference has it.
      const key = formatAccountKey(by.account, peerAccount)
      const topicId = await entryWriter.createTopic({
        name: 'connection',
        memo: formatConnectionMemo(by.inboundTopicId, connectionId),
        adminKey: key,
        submitKey: key,
        role: 'connection',
        agent: by.agent,
        entity: null,
      })
      const created = formatHcs10({
        op: 'connection_created',
        connection_topic_id: topicId,
        connected_account_id: peerAccount,
        operator_id: formatOperatorId(by),
        connection_id: connectionId,
      })
      const memo = transactionMemo('connection_created', 'inbound')
      const sequence = await entryWriter.submit({ name: 'created', topicId: by.inboundTopicId, text: created, memo })
      const record = createdRecord(by, connection, { topicId, connectionId })
      await entryWriter.submit(recordOn(by, withSequence(record, 'confirmed_request_id', sequence), CREATED_RECORD))
    },
  }
}

/** The record of the one who asked, once the answer is there. `confirmedId` is the sequence number of that answer. */
export function openedPublication(by: LedgerIdentity, connection: LedgerConnection, confirmedId: number): Publication {
  const connectionId = connection.requestId ?? 0
  const record = createdRecord(by, connection, { topicId: connection.topicId ?? UNKNOWN_TOPIC, connectionId })
  const text = withSequence(record, 'confirmed_request_id', String(confirmedId))
  return {
    purpose: 'sent',
    about: connection.id,
    lane: by.outboundTopicId,
    payer: by.account,
    message: null,
    async write(entryWriter) {
      await entryWriter.submit(recordOn(by, text, CREATED_RECORD))
    },
  }
}

/** Ends a connection: says so on its topic, and records it. */
export function closePublication(by: LedgerIdentity, connection: LedgerConnection): Publication {
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
  return {
    purpose: 'close',
    about: connection.id,
    lane: topicId,
    payer: by.account,
    message: null,
    async write(entryWriter) {
      await entryWriter.submit({ topicId, text: close, memo: transactionMemo('close_connection', 'connection') })
      await entryWriter.submit(recordOn(by, record, transactionMemo('connection_closed', 'outbound')))
    },
  }
}

/** The request stands on the ledger: from now on the answer is looked for behind it. */
export async function completeRequest(ltx: LedgerTx, { about, sequence }: PublicationOutcome): Promise<void> {
  const { tx } = ltx
  const connection = await tx.ledger.getConnection({ id: about ?? '' })
  if (!connection || sequence === null) return
  await tx.ledger.putConnection({ ...connection, requestId: sequence })
  await lookAgain(ltx, connection.requestTopicId, sequence)
  await follow(ltx, {
    id: connection.requestTopicId,
    role: 'foreign',
    agent: null,
    // Entries before the request are not ours to read, so nothing is known of the chain up to there.
    from: { sequence, runningHash: UNKNOWN_HASH },
  })
}

/** A listener that follows the topic because of another request may have passed the answer before it was known. */
async function lookAgain({ ledgers, tx }: LedgerTx, topicId: string, sequence: number): Promise<void> {
  const { ledger } = ledgers
  const topic = await tx.ledger.lockTopic({ id: topicId })
  if (topic?.network !== ledger.network || ledger.within || topic.takenIn <= sequence) return
  await tx.ledger.setTakenIn({ topicId, sequence })
}

/** The topic of the connection is there and announced. A connection that was given up meanwhile stays closed. */
export async function completeAccept({ tx }: LedgerTx, { about, topics }: PublicationOutcome): Promise<void> {
  const connection = await tx.ledger.getConnection({ id: about ?? '' })
  const topicId = topics.connection
  if (connection?.state !== 'requested' || topicId === undefined) return
  await tx.ledger.putConnection({ ...connection, topicId, state: 'open' })
}

/** A connection is over from now on even if the other side is never told, because the parcel was given up. */
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

/** Fills in the sequence number of an earlier entry, which may still be a reference. */
function withSequence(text: string, field: string, sequence: string): string {
  return text.replace(`"${field}":0`, `"${field}":${sequence}`)
}

function recordOn({ outboundTopicId }: Place, text: string, memo: string): LedgerEntryDraft {
  return { topicId: outboundTopicId, text, memo, isRecord: true }
}

export interface FollowedTopic {
  readonly id: string
  readonly role: TopicRole
  readonly agent: string | null
  /** The last entry that is taken as known. */
  readonly from: { readonly sequence: number; readonly runningHash: string }
}

/** Stores a topic that another account has made, so that it is listened to. One that is known stays as it is. */
export async function follow(
  { ctx, ledgers: { ledger }, tx }: LedgerTx,
  { id, role, agent, from }: FollowedTopic,
): Promise<void> {
  if ((await tx.ledger.getTopic({ id }))?.network === ledger.network) return
  await tx.ledger.insertTopic({
    id,
    network: ledger.network,
    role,
    agent,
    entity: null,
    memo: '',
    adminKey: null,
    submitKey: null,
    ...from,
    consensusAt: null,
    takenIn: from.sequence,
    trouble: null,
    createdAt: ctx.store.now(),
    deletedAt: null,
  })
}
