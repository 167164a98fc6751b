import { EVERYBODY, type Message } from '../../model/message.ts'
import type { PushResult } from '../../model/postern.ts'
import { spaceOf } from '../../model/sources/space.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { dampBroadcast, placeInThread, tellOfRefusal } from '../deliveries/damping.ts'
import {
  type DeliverResult,
  deliver,
  gatesAwaiting,
  isNews,
  type PushDraft,
  type ReplyReaction,
} from '../deliveries/deliver.ts'
import { storePost } from '../spaces/fan-out.ts'
import { requireVisibleParent } from '../visible.ts'
import { lockBatch } from './lock-batch.ts'
import type { StoredPush } from './push.ts'

/**
 * A push that needs more than storing: threads, budgets, new agents, broadcasts, spaces, or gates that wait for a reply.
 * A plain push never loads this file.
 */
export async function storeInFull(ctx: Context, drafts: readonly PushDraft[]): Promise<StoredPush> {
  const replied = await reactionTo(drafts.map(({ message }) => message))
  try {
    return await ctx.store.transact((tx) => storeAll(ctx, tx, drafts, replied))
  } catch (error) {
    await tellOfRefusal(ctx, error)
    throw error
  }
}

/** A reply may be what a gate waits for. That is rare, so the reaction is loaded on use, before the transaction. */
async function reactionTo(messages: readonly Message[]): Promise<ReplyReaction | undefined> {
  if (messages.every(({ replyTo }) => replyTo === null)) return undefined
  return (await import('../gates/tend.ts')).resolveByReply
}

async function storeAll(
  ctx: Context,
  tx: Shelves,
  drafts: readonly PushDraft[],
  replied: ReplyReaction | undefined,
): Promise<StoredPush> {
  await lockBatch(ctx, tx, drafts)
  const results: PushResult[] = []
  const told: string[] = []
  for (const draft of drafts) {
    const stored = await storeOne(ctx, tx, draft, replied)
    results.push(stored.result)
    told.push(...stored.told)
  }
  return { results, told }
}

async function storeOne(
  ctx: Context,
  tx: Shelves,
  draft: PushDraft,
  replied: ReplyReaction | undefined,
): Promise<DeliverResult> {
  const { message } = draft
  const [address = ''] = message.to
  // What a post answers is looked up in its space, where a new member may answer a post that never reached it as mail.
  if (spaceOf(address) !== undefined) return storePost(ctx, tx, draft, replied)
  await requireVisibleParent(ctx, tx, message)
  if (address === EVERYBODY) return storeBroadcast(ctx, tx, message, replied)
  return deliver(ctx, tx, message, replied)
}

async function storeBroadcast(
  ctx: Context,
  tx: Shelves,
  message: Message,
  replied: ReplyReaction | undefined,
): Promise<DeliverResult> {
  const threaded = await placeInThread(ctx, tx, message)
  const waiting = await gatesAwaiting(tx, threaded)
  const result = await dampBroadcast(ctx, tx, threaded, (tx) => broadcast(tx, threaded))
  return { result, told: replied && isNews(result) ? await replied(ctx, tx, threaded, waiting) : [] }
}

async function broadcast(tx: Shelves, message: Message): Promise<PushResult> {
  const { id, duplicate } = await tx.messages.broadcast({ message })
  return { id, duplicate, recipients: [{ agent: EVERYBODY, state: 'pending', duplicate }] }
}
