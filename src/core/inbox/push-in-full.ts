import type { Gate } from '../../model/gate.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import type { PushResult } from '../../model/postern.ts'
import type { PushItem, Shelves } from '../../store/store.ts'
import { draftAgent, registerAgent } from '../agents/add.ts'
import type { Context } from '../context.ts'
import { damp, dampBroadcast, inThread, tellOfRefusal } from './damping.ts'
import type { Draft, Stored } from './push.ts'

/**
 * Everything that a push may need beside storing: threads, budgets, new agents, broadcasts, gates that wait for a reply.
 * A part of its own, which a plain push never loads.
 */
export async function storeInFull(ctx: Context, drafts: readonly Draft[]): Promise<Stored> {
  const replied = await reactionTo(drafts.map(({ message }) => message))
  try {
    return await ctx.store.transact((tx) => storeAll(ctx, tx, drafts, replied))
  } catch (error) {
    await tellOfRefusal(ctx, error)
    throw error
  }
}

/** A reply may be what a gate waits for. That is rare, so what then happens is loaded before the transaction begins. */
async function reactionTo(messages: readonly Message[]): Promise<Reaction | undefined> {
  if (messages.every(({ replyTo }) => replyTo === null)) return undefined
  return (await import('../gates/tend.ts')).resolveByReply
}

type Reaction = (ctx: Context, tx: Shelves, message: Message, gates: readonly Gate[]) => Promise<readonly string[]>

async function storeAll(
  ctx: Context,
  tx: Shelves,
  drafts: readonly Draft[],
  replied: Reaction | undefined,
): Promise<Stored> {
  const results: PushResult[] = []
  const told: string[] = []
  for (const { input, message } of drafts) {
    const threaded = await inThread(ctx, tx, message)
    // Whoever closes a gate locks it before the inboxes of those who are told. So must whoever may close one by a reply.
    const waiting = threaded.replyTo === null ? [] : await tx.gates.awaiting({ awaits: threaded.replyTo })
    if (threaded.to[0] === EVERYBODY) {
      const stored = await dampBroadcast(ctx, tx, threaded, (tx) => storeBroadcast(tx, threaded))
      if (replied && isNews(stored)) told.push(...(await replied(ctx, tx, threaded, waiting)))
      results.push(stored)
      continue
    }
    if (input.create) for (const id of threaded.to) await ensureAgent(ctx, tx, id)
    const damped = await damp(ctx, tx, threaded)
    const item: PushItem = { message: threaded, held: damped.held }
    told.push(...damped.told)
    const stored = await tx.messages.push({ items: [item], pendingLimit: ctx.limits.pendingPerAgent })
    await recordHeld(tx, threaded, stored)
    // A held reply has not arrived, and a repeated one has done its work.
    if (replied && stored.some(isNews)) told.push(...(await replied(ctx, tx, threaded, waiting)))
    results.push(...stored)
  }
  return { results, told }
}

function isNews({ duplicate, recipients }: PushResult): boolean {
  return !duplicate && recipients.some(({ state }) => state === 'pending')
}

/** Only what is held now: a repeated push finds what became of the first. */
async function recordHeld(tx: Shelves, message: Message, stored: readonly PushResult[]): Promise<void> {
  for (const { id, recipients } of stored) {
    const agents = recipients.filter(({ state, duplicate }) => state === 'held' && !duplicate).map(({ agent }) => agent)
    const evidence = 'agents were answering each other too often'
    if (agents.length > 0)
      await tx.deliveries.record({ id, agents, step: 'held', at: message.createdAt, by: 'system', evidence })
  }
}

async function storeBroadcast(tx: Shelves, message: Message): Promise<PushResult> {
  const { id, duplicate } = await tx.messages.broadcast({ message })
  return { id, duplicate, recipients: [{ agent: EVERYBODY, state: 'pending', duplicate }] }
}

async function ensureAgent(ctx: Context, tx: Shelves, id: string): Promise<void> {
  const known = await tx.agents.get(id)
  if (known?.removedAt === null) return
  await registerAgent(tx, draftAgent(ctx, { id }), { id })
}
