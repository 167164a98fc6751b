import { SYSTEM_CALLER } from '../../../model/caller.ts'
import type { LedgerConnection } from '../../../model/ledger/connection.ts'
import { type ConnectionCreated, parseHcs10 } from '../../../model/ledger/hcs10.ts'
import { GENESIS_HASH } from '../../../model/ledger/topic.ts'
import { NORMAL } from '../../../model/priority.ts'
import { pushNotice } from '../../inbox/notice.ts'
import { openedDraft } from '../connection-entries.ts'
import { follow } from '../follow.ts'
import { publish } from '../publish.ts'
import type { WholeMessage } from './assemble.ts'
import { readersOf } from './inbox-capacity.ts'
import { type Intake, placeKey, type Understood } from './intake.ts'
import { outboundOf } from './peers.ts'

/** On the inbound topic of an outsider whom we have asked: the answer to our request stands there. */
export async function takeAnswer(intake: Intake, whole: WholeMessage): Promise<Understood> {
  const operation = parseHcs10(whole.text ?? '')
  // Most of what stands there is between others.
  if (operation?.op !== 'connection_created' || !('connection_id' in operation)) return undefined
  const { network } = intake.ledgers.ledger
  const place = { network, inboundTopicId: whole.topicId, requestId: operation.connection_id }
  const connection = await intake.tx.ledger.connectionOf(place)
  if (!connection || connection.isIncoming || connection.state !== 'requested') return undefined
  if (whole.payer !== connection.peerAccount) return 'spoofed'
  return (await isFree(intake, operation.connection_topic_id)) ? open(intake, whole, connection, operation) : 'spoofed'
}

/** Nobody makes a connection of a topic that is something else here. Locally it is there; elsewhere it is new to us. */
async function isFree({ tx, ledgers }: Intake, topicId: string): Promise<boolean> {
  const { network, within } = ledgers.ledger
  if (await tx.ledger.connectionOn({ network, topicId })) return false
  const topic = await tx.ledger.getTopic({ id: topicId })
  return within ? topic?.network === network && topic.role === 'foreign' : topic === undefined
}

async function open(
  intake: Intake,
  whole: WholeMessage,
  requested: LedgerConnection,
  { connection_topic_id: topicId }: ConnectionCreated,
): Promise<Understood> {
  const { ctx, ledgers, tx, outside, rings } = intake
  const peerOutboundTopicId = requested.peerOutboundTopicId ?? outboundOf(outside.profiles.get(whole.payer))
  const connection: LedgerConnection = { ...requested, peerOutboundTopicId, topicId, state: 'open' }
  await tx.ledger.putConnection(connection)
  const { id, agent, peerAccount } = connection
  const from = { sequence: 0, runningHash: GENESIS_HASH }
  await follow(ctx, ledgers, tx, { id: topicId, role: 'connection', agent, from })
  const by = await tx.ledger.identityOf({ network: connection.network, agent })
  if (by) await publish(ctx, ledgers, tx, openedDraft(ledgers, by, connection, whole.sequence))
  const told = await pushNotice(ctx, tx, {
    from: SYSTEM_CALLER,
    type: 'ledger.connection_open',
    to: await readersOf(tx, agent),
    dedupKey: placeKey(whole),
    subject: `${peerAccount} has accepted the connection ${id}`,
    content: `The connection ${id} with ${peerAccount} is open. Write to it with "postern ledger say ${id} <text>".`,
    priority: NORMAL,
    ref: id,
  })
  rings.push(...told)
  return undefined
}
