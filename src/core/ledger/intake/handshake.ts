import { SYSTEM_CALLER } from '../../../model/caller.ts'
import { PosternError } from '../../../model/errors.ts'
import type { LedgerConnection } from '../../../model/ledger/connection.ts'
import { type ConnectionCreated, parseHcs10 } from '../../../model/ledger/hcs10.ts'
import type { LedgerIdentity } from '../../../model/ledger/identity.ts'
import { parseOperatorId } from '../../../model/ledger/operator.ts'
import { GENESIS_HASH } from '../../../model/ledger/topic.ts'
import { NORMAL } from '../../../model/priority.ts'
import { pushNotice } from '../../notices/notice.ts'
import { acceptPublication, follow, openedPublication } from '../connection-entries.ts'
import { publish } from '../publish.ts'
import type { WholeMessage } from './assemble.ts'
import { type Intake, placeKey, readersOf, type SkipReason, say } from './intake.ts'
import { outboundOf } from './outside.ts'
import type { Writer } from './senders.ts'

/** Outsiders may ask as often as they like, so the requests that wait are bounded: in all, and of one account. */
const MOST_WAITING = 100
const MOST_OF_ONE = 10

export interface RequestedConnection {
  /** Our agent that is asked. */
  readonly agent: string
  readonly remark: string | null
}

/** An outsider asks for a connection: the agent is told, or it is accepted at once as the configuration says. */
export async function takeRequest(
  intake: Intake,
  whole: WholeMessage,
  writer: Writer,
  { agent, remark }: RequestedConnection,
): Promise<SkipReason> {
  const { tx, ledgers } = intake
  const { network } = ledgers.ledger
  const place = { network, inboundTopicId: whole.topicId, requestId: whole.sequence }
  if (await tx.ledger.connectionOf(place)) return undefined
  const waiting = (await tx.ledger.connections({ network, agent })).filter(
    ({ state, isIncoming }) => isIncoming && state === 'requested',
  )
  const ofThis = waiting.filter(({ peerAccount }) => peerAccount === whole.payer)
  if (waiting.length >= MOST_WAITING || ofThis.length >= MOST_OF_ONE) return 'too many requests'
  const connection = connectionFrom(intake, whole, writer, agent)
  await tx.ledger.putConnection(connection)
  const by = isWelcome(intake, writer) ? await tx.ledger.identityOf({ network, agent }) : undefined
  const isAccepted = by !== undefined && (await acceptWithinBudget(intake, by, connection))
  const words = isAccepted ? wordsOfWelcome(connection) : wordsAbout(connection, writer, remark)
  say(intake, whole, writer, { to: [agent], ...words, priority: NORMAL, ref: connection.id })
  return undefined
}

/** Outsiders decide how often they ask, so they do not decide what is spent: false if the budget does not allow it. */
async function acceptWithinBudget(intake: Intake, by: LedgerIdentity, connection: LedgerConnection): Promise<boolean> {
  try {
    await publish(intake, acceptPublication(by, connection))
    return true
  } catch (error) {
    if (error instanceof PosternError && error.code === 'LEDGER_BUDGET_SPENT') return false
    throw error
  }
}

function connectionFrom(
  { ctx, ledgers, outside }: Intake,
  whole: WholeMessage,
  writer: Writer,
  agent: string,
): LedgerConnection {
  return {
    id: ctx.newId('con'),
    network: ledgers.ledger.network,
    agent,
    isIncoming: true,
    peerAccount: whole.payer,
    peerInboundTopicId: parseOperatorId(writer.claim)?.inboundTopicId ?? '',
    peerOutboundTopicId: outboundOf(outside.profiles.get(whole.payer)),
    requestTopicId: whole.topicId,
    requestId: whole.sequence,
    topicId: null,
    state: 'requested',
    reason: null,
    createdAt: ctx.store.now(),
    closedAt: null,
  }
}

/** Outsiders are let in without a question only if the ledger vouches for them. */
function isWelcome({ ledgers: { settings } }: Intake, { from, isTrue }: Writer): boolean {
  if (!isTrue || settings.accept === 'ask') return false
  return settings.accept === 'all' || settings.accept.includes(from.id)
}

const TYPE = 'ledger.connection_request'

function wordsAbout(
  { id, peerAccount, peerInboundTopicId }: LedgerConnection,
  { isTrue }: Writer,
  remark: string | null,
) {
  const who = isTrue
    ? `The account ${peerAccount}, whose inbound topic is ${peerInboundTopicId},`
    : `The account ${peerAccount} (that the topic ${peerInboundTopicId} is its own was not checked)`
  return {
    type: TYPE,
    subject: `${peerAccount} asks for a connection`,
    content: [
      `${who} asks for a connection.`,
      ...(remark ? [`It says: ${remark}`] : []),
      `Accept it with "postern ledger accept ${id}", or refuse it with "postern ledger reject ${id}".`,
    ].join('\n'),
  }
}

function wordsOfWelcome({ id, peerAccount }: LedgerConnection) {
  return {
    type: TYPE,
    subject: `${peerAccount} is let in`,
    content: [
      `The account ${peerAccount} asked for a connection, which the configuration allows without a question.`,
      `Write to it with "postern ledger say ${id} <text>"; end it with "postern ledger disconnect ${id}".`,
    ].join('\n'),
  }
}

/** Reads the inbound topic of an outsider that we have asked, where the answer to our request stands. */
export async function takeAnswer(intake: Intake, whole: WholeMessage): Promise<SkipReason> {
  const operation = parseHcs10(whole.text ?? '')
  // Most entries there concern others.
  if (operation?.op !== 'connection_created' || !('connection_id' in operation)) return undefined
  const { network } = intake.ledgers.ledger
  const place = { network, inboundTopicId: whole.topicId, requestId: operation.connection_id }
  const connection = await intake.tx.ledger.connectionOf(place)
  if (!connection || connection.isIncoming || connection.state !== 'requested') return undefined
  if (whole.payer !== connection.peerAccount) return 'spoofed'
  return (await isFree(intake, operation.connection_topic_id)) ? open(intake, whole, connection, operation) : 'spoofed'
}

/** A topic that is something else here cannot become a connection. A local one is there already; others are new to us. */
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
): Promise<SkipReason> {
  const { ctx, tx, outside, rings } = intake
  const peerOutboundTopicId = requested.peerOutboundTopicId ?? outboundOf(outside.profiles.get(whole.payer))
  const connection: LedgerConnection = { ...requested, peerOutboundTopicId, topicId, state: 'open' }
  await tx.ledger.putConnection(connection)
  const { id, agent, peerAccount } = connection
  const from = { sequence: 0, runningHash: GENESIS_HASH }
  await follow(intake, { id: topicId, role: 'connection', agent, from })
  const by = await tx.ledger.identityOf({ network: connection.network, agent })
  if (by) await publish(intake, openedPublication(by, connection, whole.sequence), { budget: 'ignore' })
  const told = await pushNotice(ctx, tx, {
    from: SYSTEM_CALLER,
    type: 'ledger.connection_open',
    to: await readersOf(tx, agent),
    dedupKey: placeKey(whole),
    subject: `${peerAccount} has accepted the connection ${id}`,
    content: `The connection ${id} with ${peerAccount} is open. Write to it with "postern ledger say ${id} <text>".`,
    priority: NORMAL,
    ref: id,
    cause: { id: peerAccount, kind: 'service' },
  })
  rings.push(...told)
  return undefined
}
