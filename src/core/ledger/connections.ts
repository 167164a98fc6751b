import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { CONNECTION_MOVES, type ConnectionState, type LedgerConnection } from '../../model/ledger/connection.ts'
import type { LedgerIdentity } from '../../model/ledger/identity.ts'
import type { Said } from '../../model/ledger/ledgers.ts'
import { parseTopicMemo } from '../../model/ledger/memos.ts'
import { parseLedgerId } from '../../model/ledger/topic.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context, Ledgers, LedgerTx } from '../context.ts'
import { acceptPublication, closePublication, requestPublication } from './connection-entries.ts'
import { ensureIdentity, requireIdentity, writerOf } from './identities/identity.ts'
import { outboundOf, readProfile } from './intake/outside.ts'
import { placeOf, publish, requireNoSecret } from './publish.ts'
import { labelOf } from './status.ts'
import { writeMessage } from './write-message.ts'

const REASON_BYTES = 300

/** The connections of one agent or of all. An agent sees its own. */
export async function listConnections(
  ctx: Context,
  { agent }: { readonly agent?: string },
): Promise<readonly LedgerConnection[]> {
  const { network } = (await ctx.ledger()).ledger
  const found = await ctx.store.read.ledger.connections({ network, ...(agent !== undefined && { agent }) })
  return found.filter((connection) => isTheirs(ctx, connection))
}

/** Asks an outsider for a connection. The answer comes into the inbox of the agent. */
export async function connectOutsider(
  ctx: Context,
  input: { readonly agent?: string; readonly inbound_topic_id: string },
): Promise<LedgerConnection> {
  const ledgers = await ctx.ledger()
  const agent = input.agent ?? writerOf(ctx.caller)
  if (isConfined(ctx.caller) && agent !== ctx.caller.id) throw notYours(ctx.caller.id, agent)
  const peer = await findPeer(ledgers, parseLedgerId(input.inbound_topic_id))
  return ctx.store.transact(
    async (tx) => {
      const ltx = { ctx, ledgers, tx }
      const { network } = ledgers.ledger
      if ((await tx.ledger.identities({ network })).some((ours) => ours.inboundTopicId === peer.inboundTopicId)) {
        throw invalid(`${peer.inboundTopicId} is the topic of an agent of this deployment, who needs no connection`)
      }
      const from = await ensureIdentity(ltx, agent)
      const connection = connectionWith(ctx, network, agent, peer)
      await tx.ledger.putConnection(connection)
      await publish(ltx, requestPublication(from, connection))
      return (await tx.ledger.getConnection({ id: connection.id })) ?? connection
    },
    { answers: ['ledger.connect'] },
  )
}

function notYours(caller: string, agent: string): PosternError {
  return new PosternError('NOT_ALLOWED', {
    message: `${caller} cannot ask for a connection of ${agent}.`,
    next: `Ask for one of ${caller}, or let ${agent} ask for its own.`,
  })
}

interface Peer {
  readonly account: string
  readonly inboundTopicId: string
  readonly outboundTopicId: string | null
}

async function findPeer(ledgers: Ledgers, inboundTopicId: string): Promise<Peer> {
  const { ledger } = ledgers
  const facts = await ledger.topic(inboundTopicId)
  if (!facts) throw new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic: inboundTopicId, network: ledger.network })
  const memo = parseTopicMemo(facts.memo)
  if (memo?.type !== 'inbound')
    throw invalid(`${inboundTopicId} is not the inbound topic of an agent, as its memo says`)
  return {
    account: memo.account,
    inboundTopicId,
    outboundTopicId: outboundOf(await readProfile(ledgers, memo.account)),
  }
}

function connectionWith(ctx: Context, network: string, agent: string, peer: Peer): LedgerConnection {
  return {
    id: ctx.newId('con'),
    network,
    agent,
    isIncoming: false,
    peerAccount: peer.account,
    peerInboundTopicId: peer.inboundTopicId,
    peerOutboundTopicId: peer.outboundTopicId,
    requestTopicId: peer.inboundTopicId,
    requestId: null,
    topicId: null,
    state: 'requested',
    reason: null,
    createdAt: ctx.store.now(),
    closedAt: null,
  }
}

/** Lets an outsider in. The topic of the two is made; on a ledger elsewhere it is open once that is done. */
export async function acceptConnection(ctx: Context, { id }: { readonly id: string }): Promise<LedgerConnection> {
  const ledgers = await ctx.ledger()
  const asked = await ctx.store.read.ledger.getConnection({ id })
  const outbound =
    asked?.peerOutboundTopicId === null ? outboundOf(await readProfile(ledgers, asked.peerAccount)) : null
  return ctx.store.transact(
    async (tx) => {
      const ltx = { ctx, ledgers, tx }
      const connection = await requireConnection(ltx, id)
      if (connection.state === 'open') return connection
      requireAcceptable(connection)
      const by = await requireIdentity(tx, connection.network, connection.agent)
      // To accept again while it is on its way changes nothing.
      if (await isOnItsWay(tx, by, connection)) return connection
      const known = { ...connection, peerOutboundTopicId: connection.peerOutboundTopicId ?? outbound }
      await tx.ledger.putConnection(known)
      await publish(ltx, acceptPublication(by, known))
      return (await tx.ledger.getConnection({ id })) ?? known
    },
    { answers: ['ledger.accept'] },
  )
}

async function isOnItsWay(tx: Shelves, by: LedgerIdentity, { id }: LedgerConnection): Promise<boolean> {
  const open = await tx.ledger.openParcels({ lane: by.inboundTopicId })
  return open.some(({ purpose, about }) => purpose === 'accept' && about === id)
}

/** An acceptance on its way cannot be taken back: the outsider would be let in, and its messages would be ignored. */
async function requireNotAccepting(tx: Shelves, connection: LedgerConnection): Promise<void> {
  const { network, agent, isIncoming, state } = connection
  const by = isIncoming && state === 'requested' ? await tx.ledger.identityOf({ network, agent }) : undefined
  if (!by || !(await isOnItsWay(tx, by, connection))) return
  throw new PosternError('CONNECTION_STATE', { id: connection.id, state: 'being accepted', wanted: 'refused' })
}

/** Leaves a request unanswered for ever. HCS-10 has no word for that, so nothing is published. */
export async function rejectConnection(
  ctx: Context,
  { id, reason }: { readonly id: string; readonly reason?: string },
): Promise<LedgerConnection> {
  const ledgers = await ctx.ledger()
  const why = parseReason(reason)
  return ctx.store.transact(
    async (tx) => {
      const ltx = { ctx, ledgers, tx }
      const connection = await requireConnection(ltx, id)
      if (connection.state === 'open') throw wrongState(connection, 'rejected')
      await requireNotAccepting(tx, connection)
      return connection.state === 'closed' ? connection : close(tx, connection, why, ctx.store.now())
    },
    { answers: ['ledger.reject'] },
  )
}

/** Ends a connection and says so to the other side. */
export async function disconnect(
  ctx: Context,
  { id, reason }: { readonly id: string; readonly reason?: string },
): Promise<LedgerConnection> {
  const ledgers = await ctx.ledger()
  const why = parseReason(reason)
  return ctx.store.transact(
    async (tx) => {
      const ltx = { ctx, ledgers, tx }
      const connection = await requireConnection(ltx, id)
      if (connection.state === 'closed') return connection
      await requireNotAccepting(tx, connection)
      const isOverAtOnce = connection.state === 'requested' || ledgers.ledger.within !== undefined
      const closed = await close(tx, connection, why, isOverAtOnce ? ctx.store.now() : null)
      if (connection.state === 'requested') return closed
      requireNoSecret(ledgers, 'full', why ?? '')
      const by = await requireIdentity(tx, closed.network, closed.agent)
      await publish(ltx, closePublication(by, closed))
      return closed
    },
    { answers: ['ledger.disconnect'] },
  )
}

/** Writes to the outsider on the other side of a connection. */
export async function sayOnConnection(
  ctx: Context,
  input: { readonly connection: string; readonly text: string },
): Promise<Said> {
  const ledgers = await ctx.ledger()
  const text = parseText('text', input.text, ctx.limits.contentBytes)
  if (text.trim() === '') throw new PosternError('CONTENT_EMPTY')
  requireNoSecret(ledgers, 'full', text)
  return ctx.store.transact(
    async (tx) => {
      const ltx = { ctx, ledgers, tx }
      const connection = await requireConnection(ltx, input.connection)
      const { topicId, state } = connection
      if (state !== 'open' || topicId === null) throw wrongState(connection, 'written on')
      const from = await requireIdentity(tx, connection.network, connection.agent)
      const entry = { from, topicId, topicType: 'connection', data: text, mime: 'text/plain' } as const
      const outcome = await publish(ltx, {
        purpose: 'message',
        about: connection.id,
        lane: topicId,
        payer: from.account,
        message: null,
        write: (entryWriter) => writeMessage(ledgers, entryWriter, entry),
      })
      return { ledger: labelOf(ledgers.ledger), ...placeOf(outcome), topic_id: topicId }
    },
    { answers: ['ledger.say'] },
  )
}

/** A connection of another agent, or of another network, is none. */
async function requireConnection(
  {
    ctx,
    ledgers: {
      ledger: { network },
    },
    tx,
  }: LedgerTx,
  id: string,
): Promise<LedgerConnection> {
  const connection = await tx.ledger.getConnection({ id })
  if (connection?.network === network && isTheirs(ctx, connection)) return connection
  throw new PosternError('CONNECTION_NOT_FOUND', { id })
}

function isTheirs(ctx: Context, { agent }: LedgerConnection): boolean {
  return !isConfined(ctx.caller) || agent === ctx.caller.id
}

function requireAcceptable(connection: LedgerConnection): void {
  const allowed: readonly ConnectionState[] = CONNECTION_MOVES[connection.state]
  if (!connection.isIncoming || !allowed.includes('open')) throw wrongState(connection, 'accepted')
}

async function close(
  tx: Shelves,
  connection: LedgerConnection,
  reason: string | null,
  closedAt: number | null,
): Promise<LedgerConnection> {
  const closed: LedgerConnection = { ...connection, state: 'closed', reason, closedAt }
  await tx.ledger.putConnection(closed)
  return closed
}

function parseReason(reason: string | undefined): string | null {
  return reason === undefined || reason === '' ? null : parseText('reason', reason, REASON_BYTES)
}

function wrongState({ id, state }: LedgerConnection, wanted: string): PosternError {
  return new PosternError('CONNECTION_STATE', { id, state, wanted })
}

function invalid(reason: string): PosternError {
  return new PosternError('LEDGER_ENTRY_INVALID', { reason })
}
