import { PosternError } from '../../model/errors.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import type { PushMessage, PushResult } from '../../model/postern.ts'
import { RING_ALL } from '../../model/ring.ts'
import type { PushItem, Shelves } from '../../store/store.ts'
import { draftAgent, registerAgent } from '../agents/add.ts'
import { unknownAgent } from '../agents/roster.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings.ts'
import { composeMessage } from './compose.ts'
import { damp, dampBroadcast, inThread, tellOfRefusal } from './damping.ts'

/** Stores a message for all its recipients or for none, then rings them. */
export async function pushMessage(ctx: Context, input: PushMessage): Promise<PushResult> {
  const message = composeMessage(ctx, input)
  const replied = await reactionTo([message])
  const { results, told } = await explained(ctx, () =>
    isPlain(ctx, input, message)
      ? ctx.store.once((tx) => storePlain(ctx, tx, [message]))
      : ctx.store.transact((tx) => storeAll(ctx, tx, [{ input, message }], replied)),
  )
  ringFor(ctx, results, told)
  return results[0] as PushResult
}

/** Stores many messages with one commit: all of them or none. */
export async function pushMany(
  ctx: Context,
  { messages }: { readonly messages: readonly PushMessage[] },
): Promise<readonly PushResult[]> {
  if (messages.length > ctx.limits.pushesPerBatch) {
    throw new PosternError('VALUE_INVALID', {
      field: 'number of messages',
      value: messages.length,
      next: `Push at most ${ctx.limits.pushesPerBatch} at once.`,
    })
  }
  if (messages.length === 0) return []
  const drafts = messages.map((input) => ({ input, message: composeMessage(ctx, input) }))
  const replied = await reactionTo(drafts.map(({ message }) => message))
  const { results, told } = await explained(ctx, () =>
    drafts.every(({ input, message }) => isPlain(ctx, input, message))
      ? ctx.store.once((tx) =>
          storePlain(
            ctx,
            tx,
            drafts.map(({ message }) => message),
          ),
        )
      : ctx.store.transact((tx) => storeAll(ctx, tx, drafts, replied)),
  )
  ringFor(ctx, results, told)
  return results
}

/** Most messages need nothing to be looked up before they are stored: one call on one shelf does it. */
function isPlain(ctx: Context, input: PushMessage, message: Message): boolean {
  return ctx.caller.kind !== 'ai' && message.replyTo === null && !input.create && message.to[0] !== EVERYBODY
}

async function storePlain(ctx: Context, tx: Shelves, messages: readonly Message[]): Promise<Stored> {
  const items = messages.map((message) => ({ message, held: [] }))
  return { results: await tx.messages.push({ items, pendingLimit: ctx.limits.pendingPerAgent }), told: [] }
}

/** A reply may be what a gate waits for. That is rare, so what then happens is loaded on use, before the transaction. */
async function reactionTo(messages: readonly Message[]): Promise<Reaction | undefined> {
  if (messages.every(({ replyTo }) => replyTo === null)) return undefined
  return (await import('../gates/tend.ts')).resolveByReply
}

type Reaction = (ctx: Context, tx: Shelves, message: Message) => Promise<readonly string[]>

interface Draft {
  readonly input: PushMessage
  readonly message: Message
}

interface Stored {
  readonly results: readonly PushResult[]
  readonly told: readonly string[]
}

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
    if (threaded.to[0] === EVERYBODY) {
      results.push(await dampBroadcast(ctx, tx, threaded, (tx) => storeBroadcast(tx, threaded)))
      continue
    }
    if (input.create) for (const id of threaded.to) await ensureAgent(ctx, tx, id)
    const damped = await damp(ctx, tx, threaded)
    const item: PushItem = { message: threaded, held: damped.held }
    told.push(...damped.told)
    const stored = await tx.messages.push({ items: [item], pendingLimit: ctx.limits.pendingPerAgent })
    await recordHeld(tx, threaded, stored)
    // A held reply has not arrived, and a repeated one has done its work.
    if (replied && stored.some(isNews)) told.push(...(await replied(ctx, tx, threaded)))
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

/** An unknown recipient is answered with the name that was probably meant; of some refusals a person is told. */
async function explained<T>(ctx: Context, push: () => Promise<T>): Promise<T> {
  try {
    return await push()
  } catch (error) {
    await tellOfRefusal(ctx, error)
    if (!(error instanceof PosternError) || error.code !== 'AGENT_NOT_FOUND') throw error
    throw await unknownAgent(ctx.store.read, String(error.details['id']))
  }
}

/** A message to oneself is stored but wakes nobody, and neither does one that was there before. */
function ringFor(ctx: Context, results: readonly PushResult[], told: readonly string[]): void {
  const names = new Set(told)
  for (const { recipients } of results) {
    for (const { agent, state, duplicate } of recipients) {
      if (duplicate || state !== 'pending' || agent === ctx.caller.id) continue
      names.add(agent === EVERYBODY ? RING_ALL : agent)
    }
  }
  ring(ctx, [...names])
}
