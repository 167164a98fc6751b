import type { Gate } from '../../model/gate.ts'
import type { Message } from '../../model/message.ts'
import type { PushMessage, PushResult } from '../../model/postern.ts'
import type { PushItem, Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { damp, placeInThread } from './damping.ts'

/** Called in the same transaction after a reply is stored, with the gates that wait for it. Returns whom to ring. */
export type ReplyReaction = (
  ctx: Context,
  tx: Shelves,
  message: Message,
  gates: readonly Gate[],
) => Promise<readonly string[]>

/** The input of a push, and the message that was composed from it. */
export interface PushDraft {
  readonly input: PushMessage
  readonly message: Message
}

export interface DeliverResult {
  readonly result: PushResult
  /** Agents to ring after the commit, besides the recipients. */
  readonly told: readonly string[]
}

/** Stores a message for its recipients, in its thread and within the limits. `replied` handles gates that wait for it. */
export async function deliver(
  ctx: Context,
  tx: Shelves,
  message: Message,
  replied: ReplyReaction | undefined,
): Promise<DeliverResult> {
  const threaded = await placeInThread(ctx, tx, message)
  const waiting = await gatesAwaiting(tx, threaded)
  const damped = await damp(ctx, tx, threaded)
  const result = await storeDamped(ctx, tx, { message: threaded, held: damped.held })
  // A held reply has not arrived yet, and a duplicate was handled the first time.
  const reactions = replied && isNews(result) ? await replied(ctx, tx, threaded, waiting) : []
  return { result, told: [...damped.told, ...reactions] }
}

/** Stores a message after damping has decided for whom it is held. */
export async function storeDamped(ctx: Context, tx: Shelves, item: PushItem): Promise<PushResult> {
  const [result] = await tx.messages.push({
    items: [{ ...item, revives: true }],
    pendingLimit: ctx.limits.pendingPerAgent,
  })
  if (!result) throw new Error('a push has no result')
  await recordHeld(tx, item.message, result)
  return result
}

/** Locks the gates that wait for a reply. Gates are locked before inboxes, so this comes before the reply is stored. */
export async function gatesAwaiting(tx: Shelves, { replyTo }: Message): Promise<readonly Gate[]> {
  return replyTo === null ? [] : tx.gates.awaiting({ awaits: replyTo })
}

export function isNews({ duplicate, recipients }: PushResult): boolean {
  return !duplicate && recipients.some(({ state }) => state === 'pending')
}

/** Records which deliveries this push holds. A repeated push records nothing. */
async function recordHeld(tx: Shelves, message: Message, { id, recipients }: PushResult): Promise<void> {
  const agents = recipients.filter(({ state, duplicate }) => state === 'held' && !duplicate).map(({ agent }) => agent)
  const evidence = 'a program wrote too often'
  if (agents.length > 0)
    await tx.deliveries.record({ id, agents, step: 'held', at: message.createdAt, by: 'system', evidence })
}
