import { reasonOf } from '../../kit/pure/reason-of.ts'
import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { heldNotice, hourOf, type PeopleNotice, tellPeople } from '../notices/notice.ts'
import { ring } from '../rings/ring.ts'

/** Puts a reply into the thread of its parent. A machine's reply adds a hop; a person's reply resets the count. */
export async function placeInThread(ctx: Context, tx: Shelves, message: Message): Promise<Message> {
  if (message.replyTo === null) return message
  requireStorable(message.replyTo, 'MESSAGE_NOT_FOUND')
  const parent = await tx.messages.getAnswered(message.replyTo)
  if (!parent) throw new PosternError('MESSAGE_NOT_FOUND', { id: message.replyTo })
  return { ...message, threadId: parent.threadId, hops: isProgram(ctx.caller) ? parent.hops + 1 : 0 }
}

interface Damping {
  /** Recipients for whom the message is held. */
  readonly held: readonly string[]
  /** People to ring after the commit. */
  readonly told: readonly string[]
}

const UNDAMPED: Damping = { held: [], told: [] }

/**
 * Decides for which recipients a message of a program is held. A sender has a rate limit for each recipient, itself and
 * people included. A thread has a limit of hops and of messages for AI agents, so that programs cannot answer each other
 * for ever. People are notified once an hour and may release held messages.
 */
export async function damp(ctx: Context, tx: Shelves, message: Message): Promise<Damping> {
  if (!isProgram(ctx.caller)) return UNDAMPED
  const recipients = await withoutRepetition(tx, message)
  const machines = await machinesAmong(tx, recipients)
  const isSpent = machines.length > 0 && (await isThreadSpent(ctx, tx, message))
  const held: string[] = isSpent ? [...machines] : []
  const told: string[] = []
  if (isSpent) told.push(...(await tellPeople(ctx, tx, { ...threadNotice(ctx, message), cause: ctx.caller })))
  const limited = recipients.filter((to) => !held.includes(to))
  const over: string[] = []
  for (const to of limited) if (!(await takeFromBudget(ctx, tx, to))) over.push(to)
  if (over.length > 0) told.push(...(await tellPeople(ctx, tx, heldNotice(ctx, ctx.caller.id))))
  return { held: [...held, ...over], told }
}

/** The AI agents among the recipients. */
async function machinesAmong(tx: Shelves, agents: readonly string[]): Promise<readonly string[]> {
  const machines: string[] = []
  for (const id of agents) {
    const agent = await tx.agents.get(id)
    if (agent?.kind === 'ai') machines.push(id)
  }
  return machines
}

/**
 * Stores an agent's broadcast, or refuses it if it is over a limit: a broadcast has no deliveries that could be held. A
 * duplicate does not count against the rate, and only storing it tells whether it is one. So the broadcast is stored
 * first, and a refusal rolls it back. A service may not broadcast at all.
 */
export async function dampBroadcast<T extends { readonly duplicate: boolean }>(
  ctx: Context,
  tx: Shelves,
  message: Message,
  store: (tx: Shelves) => Promise<T>,
): Promise<T> {
  if (ctx.caller.kind === 'service') {
    throw new PosternError('NOT_ALLOWED', {
      message: `${ctx.caller.id} is a service, and services cannot broadcast.`,
      next: 'Name the recipients, or let a person broadcast it.',
    })
  }
  if (ctx.caller.kind !== 'ai') return store(tx)
  const isSpent = await isThreadSpent(ctx, tx, message)
  const stored = await store(tx)
  if (stored.duplicate) return stored
  if (isSpent) throw refusal('This thread of automatic replies has gone on for too long', threadNotice(ctx, message))
  if (!(await takeFromBudget(ctx, tx, EVERYBODY))) {
    throw refusal(`${ctx.caller.id} broadcasts more often than agents may`, broadcastNotice(ctx))
  }
  return stored
}

function refusal(what: string, notice: PeopleNotice): PosternError {
  const message = `${what}, and a broadcast cannot be held.`
  const next = 'Let a person look at it; they can begin a new thread.'
  return new PosternError('NOT_ALLOWED', { message, next }, { cause: new UnsentNotice(notice) })
}

/** Carries the notice about a refusal out of the transaction, whose rollback would undo it. `tellOfRefusal` sends it. */
class UnsentNotice extends Error {
  readonly notice: PeopleNotice

  constructor(notice: PeopleNotice) {
    super(notice.subject)
    this.notice = notice
  }
}

/** Notifies people of a refused broadcast, once. If that fails, the refusal still stands. */
export async function tellOfRefusal(ctx: Context, error: unknown): Promise<void> {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof UnsentNotice)) return
  try {
    ring(ctx, await ctx.store.transact((tx) => tellPeople(ctx, tx, cause.notice)))
  } catch (failure) {
    ctx.note('notice.failed', { error: reasonOf(failure) })
  }
}

/** The recipients that have not received this message before, or get it anew. Any other repeated push does not count against a limit. */
async function withoutRepetition(tx: Shelves, { to, dedupKey, createdAt }: Message): Promise<readonly string[]> {
  if (dedupKey === null) return to
  const known = await tx.deliveries.withKey({ agents: to, dedupKey, unlessOverAt: createdAt })
  return to.filter((agent) => !known.includes(agent))
}

/** True if a reply is over a limit of its thread. A person's message resets the count of messages too. */
async function isThreadSpent(ctx: Context, tx: Shelves, message: Message): Promise<boolean> {
  if (message.replyTo === null) return false
  if (message.hops > ctx.limits.hops) return true
  const count = await tx.messages.countThread({ threadId: message.threadId })
  return count >= ctx.limits.threadMessages
}

/** Takes one message from the rate budget of the caller towards a recipient; false if the budget is spent. */
async function takeFromBudget(ctx: Context, tx: Shelves, to: string): Promise<boolean> {
  const { pairBurst: burst, pairPerMinute: perMinute } = ctx.limits
  return tx.budgets.take({ from: ctx.caller.id, to, now: ctx.store.now(), burst, perMinute })
}

function threadNotice(ctx: Context, { threadId }: Message): PeopleNotice {
  return {
    key: `held:thread:${threadId}:${hourOf(ctx)}`,
    subject: 'Agents answer each other again and again',
    content: `Further replies in the thread ${threadId} are held. Look at it with "postern inbox show ${threadId}"; let one go with "postern inbox held release <id>".`,
  }
}

function broadcastNotice(ctx: Context): PeopleNotice {
  const { id: from } = ctx.caller
  return {
    key: `held:broadcast:${from}:${hourOf(ctx)}`,
    subject: `${from} broadcasts too often`,
    content: `Broadcasts from ${from} beyond the allowed rate are refused, because a broadcast cannot be held. See what it said with "postern inbox list --all".`,
  }
}
