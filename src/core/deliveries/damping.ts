import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { type PeopleNotice, tellPeople } from '../notices/people.ts'
import { ring } from '../rings/ring.ts'

/** Places a reply in its thread. A machine's reply is one hop further; a person's begins to count anew. */
export async function placeInThread(ctx: Context, tx: Shelves, message: Message): Promise<Message> {
  if (message.replyTo === null) return message
  requireStorable(message.replyTo, 'MESSAGE_NOT_FOUND')
  const parent = await tx.messages.getAnswered(message.replyTo)
  if (!parent) throw new PosternError('MESSAGE_NOT_FOUND', { id: message.replyTo })
  const isAutomatic = ctx.caller.kind === 'ai' || ctx.caller.kind === 'service'
  return { ...message, threadId: parent.threadId, hops: isAutomatic ? parent.hops + 1 : 0 }
}

interface Damped {
  readonly held: readonly string[]
  /** People to ring after the commit. */
  readonly told: readonly string[]
}

const UNDAMPED: Damped = { held: [], told: [] }

/**
 * Decides for whom a message is held, so that agents that answer each other for ever come to rest: a thread has a
 * number of hops and of messages, a pair of agents a rate. Only machines are damped: a person may be written to as often
 * as needed. A person is told once and may release what is held.
 */
export async function damp(ctx: Context, tx: Shelves, message: Message): Promise<Damped> {
  if (ctx.caller.kind !== 'ai') return UNDAMPED
  const machines = await otherMachines(ctx, tx, await withoutRepetition(tx, message))
  if (machines.length === 0) return UNDAMPED
  if (await isThreadSpent(ctx, tx, message)) {
    return { held: machines, told: await tellPeople(ctx, tx, threadNotice(message)) }
  }
  const held: string[] = []
  const told: string[] = []
  for (const to of machines) {
    if (await mayFollow(ctx, tx, to)) continue
    held.push(to)
    told.push(...(await tellPeople(ctx, tx, pairNotice(ctx.caller.id, to))))
  }
  return { held, told }
}

/** What an agent notes for itself wakes nobody, so it answers nobody either. */
async function otherMachines(ctx: Context, tx: Shelves, agents: readonly string[]): Promise<readonly string[]> {
  const machines: string[] = []
  for (const id of agents) {
    if (id === ctx.caller.id) continue
    const agent = await tx.agents.get(id)
    if (agent?.kind === 'ai') machines.push(id)
  }
  return machines
}

/**
 * Refuses what of an agent's broadcast would have to be held, because a broadcast has no delivery that could be. A
 * repeated one costs nothing, so whether it is one is found out in between, by storing it.
 */
export async function dampBroadcast<T extends { readonly duplicate: boolean }>(
  ctx: Context,
  tx: Shelves,
  message: Message,
  store: (tx: Shelves) => Promise<T>,
): Promise<T> {
  if (ctx.caller.kind !== 'ai') return store(tx)
  const isSpent = await isThreadSpent(ctx, tx, message)
  const stored = await store(tx)
  if (stored.duplicate) return stored
  if (isSpent) throw refusal('This thread of automatic replies has gone on for too long', threadNotice(message))
  if (!(await mayFollow(ctx, tx, EVERYBODY))) {
    throw refusal(`${ctx.caller.id} broadcasts more often than agents may`, broadcastNotice(ctx.caller.id))
  }
  return stored
}

function refusal(what: string, notice: PeopleNotice): PosternError {
  const message = `${what}, and a broadcast cannot be held.`
  const next = 'Let a person look at it; they can begin a new thread.'
  return new PosternError('NOT_ALLOWED', { message, next }, { cause: new Untold(notice) })
}

/** What a person should hear of a refusal. What was refused is rolled back, so they are told afterwards. */
class Untold extends Error {
  readonly notice: PeopleNotice

  constructor(notice: PeopleNotice) {
    super(notice.subject)
    this.notice = notice
  }
}

/** Tells a person of what was refused, once. Where that fails the refusal stands all the same. */
export async function tellOfRefusal(ctx: Context, error: unknown): Promise<void> {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Untold)) return
  try {
    ring(ctx, await ctx.store.transact((tx) => tellPeople(ctx, tx, cause.notice)))
  } catch (failure) {
    ctx.note('notice.failed', { error: reasonOf(failure) })
  }
}

/** Who has not had this message before: to repeat a push costs nothing. */
async function withoutRepetition(tx: Shelves, { to, dedupKey }: Message): Promise<readonly string[]> {
  if (dedupKey === null) return to
  const known = await tx.deliveries.withKey({ agents: to, dedupKey })
  return to.filter((agent) => !known.includes(agent))
}

/** A person's message begins to count anew. */
async function isThreadSpent(ctx: Context, tx: Shelves, message: Message): Promise<boolean> {
  if (message.replyTo === null) return false
  if (message.hops > ctx.limits.hops) return true
  const said = await tx.messages.countThread({ threadId: message.threadId })
  return said >= ctx.limits.threadMessages
}

async function mayFollow(ctx: Context, tx: Shelves, to: string): Promise<boolean> {
  const { pairBurst: burst, pairPerMinute: perMinute } = ctx.limits
  return tx.budgets.take({ from: ctx.caller.id, to, now: ctx.store.now(), burst, perMinute })
}

function threadNotice({ threadId }: Message): PeopleNotice {
  return {
    key: `held:thread:${threadId}`,
    subject: 'Agents answer each other again and again',
    content: `Further replies in the thread ${threadId} are held. Look at it with "postern inbox show ${threadId}"; let one go with "postern inbox held release <id>".`,
  }
}

function pairNotice(from: string, to: string): PeopleNotice {
  return {
    key: `held:pair:${from}:${to}`,
    subject: `${from} writes to ${to} too often`,
    content: `Messages from ${from} to ${to} beyond the allowed rate are held. See them with "postern inbox held list"; let one go with "postern inbox held release <id>".`,
  }
}

function broadcastNotice(from: string): PeopleNotice {
  return {
    key: `held:pair:${from}:${EVERYBODY}`,
    subject: `${from} broadcasts too often`,
    content: `Broadcasts from ${from} beyond the allowed rate are refused, because a broadcast cannot be held. See what it said with "postern inbox list --all".`,
  }
}
