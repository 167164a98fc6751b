import { SYSTEM_CALLER } from '../../../model/caller.ts'
import type { LedgerConnection } from '../../../model/ledger/connection.ts'
import { consensusMs } from '../../../model/ledger/entry.ts'
import { type Hcs10, parseHcs10 } from '../../../model/ledger/hcs10.ts'
import type { Sender } from '../../../model/message.ts'
import { NORMAL } from '../../../model/priority.ts'
import { pushNotice } from '../../notices/notice.ts'
import type { WholeMessage } from './assemble.ts'
import { cut, type Intake, placeKey, readersOf, type SkipReason, say } from './intake.ts'
import { takeMessage } from './message.ts'
import type { Writer } from './senders.ts'

type OnConnection = Extract<Hcs10, { readonly op: 'message' | 'close_connection' | 'transaction' }>

/** Reads the topic of a connection. Entries of our own side are known already. */
export async function takeConnection(
  intake: Intake,
  whole: WholeMessage,
  connection: LedgerConnection,
): Promise<SkipReason> {
  const operation = parseHcs10(whole.text ?? '')
  if (!operation || !isOnConnection(operation)) return 'foreign'
  const writer = await intake.senders.byOperator(operation.operator_id, whole.payer)
  if (writer.agent !== null) {
    if (writer.agent === connection.agent && operation.op === 'close_connection')
      await keepEnd(intake, whole, connection)
    return undefined
  }
  if (isOver(connection, whole)) return 'closed'
  switch (operation.op) {
    case 'message':
      return takeMessage(intake, whole, writer, { agent: connection.agent, data: operation.data, ref: connection.id })
    case 'close_connection':
      return takeClosing(intake, whole, { connection, from: writer.from, reason: operation.reason ?? null })
    case 'transaction':
      return takeTransaction(intake, whole, writer, connection, operation)
  }
}

function isOnConnection(operation: Hcs10): operation is OnConnection {
  return operation.op === 'message' || operation.op === 'close_connection' || operation.op === 'transaction'
}

/**
 * Entries that the other side wrote before the end still count, however late they come: entries come in the order of the
 * topic, and their times never go back.
 */
function isOver({ closedAt }: LedgerConnection, { consensusAt }: WholeMessage): boolean {
  return closedAt !== null && consensusMs(consensusAt) >= closedAt
}

/** We have closed it, and here the ledger says so. */
async function keepEnd(
  { tx }: Pick<Intake, 'tx'>,
  { consensusAt }: WholeMessage,
  connection: LedgerConnection,
): Promise<undefined> {
  if (connection.state !== 'closed' || connection.closedAt !== null) return
  await tx.ledger.putConnection({ ...connection, closedAt: consensusMs(consensusAt) })
}

interface Closing {
  readonly connection: LedgerConnection
  readonly from: Sender
  readonly reason: string | null
}

/** Only the other side may end it. If we have closed it too, its entry may come first. */
async function takeClosing(
  { ctx, tx, rings }: Intake,
  whole: WholeMessage,
  { connection, from, reason }: Closing,
): Promise<SkipReason> {
  if (whole.payer !== connection.peerAccount) return 'spoofed'
  if (connection.state === 'closed') return keepEnd({ tx }, whole, connection)
  const { id, agent, peerAccount } = connection
  const closedAt = consensusMs(whole.consensusAt)
  await tx.ledger.putConnection({ ...connection, state: 'closed', reason, closedAt })
  const told = await pushNotice(ctx, tx, {
    from: SYSTEM_CALLER,
    type: 'ledger.connection_closed',
    to: await readersOf(tx, agent),
    dedupKey: placeKey(whole),
    subject: `${peerAccount} has closed the connection ${id}`,
    content: `${peerAccount} has closed the connection ${id}. Nothing more can be said on it.`,
    ...(reason && { quotes: [{ what: 'reason', from, text: cut(reason, ctx.limits.contentBytes) }] }),
    cause: from,
    priority: NORMAL,
    ref: id,
  })
  rings.push(...told)
  return undefined
}

async function takeTransaction(
  intake: Intake,
  whole: WholeMessage,
  writer: Writer,
  { id, agent }: LedgerConnection,
  { schedule_id: scheduleId, data }: Extract<Hcs10, { readonly op: 'transaction' }>,
): Promise<SkipReason> {
  say(intake, whole, writer, {
    to: [agent],
    type: 'ledger.transaction',
    subject: `${whole.payer} asks for a signature under ${scheduleId}`,
    content: [
      data,
      `The scheduled transaction ${scheduleId} waits on the ledger for a signature. Look at it there before anybody signs; who does not want it says so on the connection ${id}.`,
    ].join('\n\n'),
    payload: { schedule_id: scheduleId },
    priority: NORMAL,
    ref: id,
  })
  return undefined
}
