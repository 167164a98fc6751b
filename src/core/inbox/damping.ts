import { PosternError } from '../../model/errors.ts'
import type { Message } from '../../model/message.ts'
import type { Shelves } from '../../store/store.ts'
import { type Notice, tellPeople } from '../agents/people.ts'
import type { Context } from '../context.ts'
import { requireStorable } from './ids.ts'

/** Places a reply in its thread. A machine's reply is one hop further; a person's begins to count anew. */
export async function inThread(ctx: Context, tx: Shelves, message: Message): Promise<Message> {
  if (message.replyTo === null) return message
  requireStorable(message.replyTo, 'MESSAGE_NOT_FOUND')
  const parent = await tx.messages.get(message.replyTo)
  if (!parent) throw new PosternError('MESSAGE_NOT_FOUND', { id: message.replyTo })
  const isAutomatic = ctx.caller.kind === 'ai' || ctx.caller.kind === 'service'
  return { ...message, threadId: parent.threadId, hops: isAutomatic ? parent.hops + 1 : 0 }
}

export interface Damped {
  readonly held: readonly string[]
  /** People to ring after the commit. */
  readonly told: readonly string[]
}

/**
 * Decides for whom a message is held, so that agents that answer each other for ever come to rest: a thread has a
 * number of hops and of messages, a pair of agents a rate. A person is told once and may release what is held.
 */
export async function damp(ctx: Context, tx: Shelves, message: Message): Promise<Damped> {
  if (ctx.caller.kind !== 'ai') return { held: [], told: [] }
  const fresh = await withoutRepetition(tx, message)
  if (fresh.length === 0) return { held: [], told: [] }
  if (await isThreadSpent(ctx, tx, message)) {
    return { held: message.to, told: await tellPeople(ctx, tx, threadNotice(message)) }
  }
  const held: string[] = []
  const told: string[] = []
  for (const to of fresh) {
    if (to === ctx.caller.id || (await mayFollow(ctx, tx, to))) continue
    held.push(to)
    told.push(...(await tellPeople(ctx, tx, pairNotice(ctx.caller.id, to))))
  }
  return { held, told }
}

/** Who has not had this message before: to repeat a push costs nothing. */
async function withoutRepetition(tx: Shelves, { to, dedupKey }: Message): Promise<readonly string[]> {
  if (dedupKey === null) return to
  const known = await tx.deliveries.withKey({ agents: to, dedupKey })
  return to.filter((agent) => !known.includes(agent))
}

async function isThreadSpent(ctx: Context, tx: Shelves, message: Message): Promise<boolean> {
  if (message.replyTo === null) return false
  if (message.hops > ctx.limits.hops) return true
  const said = await tx.messages.countThread({ threadId: message.threadId })
  return message.hops > 0 && said >= ctx.limits.threadMessages
}

/** Only machines are damped: a person may be written to as often as needed. */
async function mayFollow(ctx: Context, tx: Shelves, to: string): Promise<boolean> {
  const recipient = await tx.agents.get(to)
  if (recipient?.kind !== 'ai') return true
  const { pairBurst: burst, pairPerMinute: perMinute } = ctx.limits
  return tx.budgets.take({ from: ctx.caller.id, to, now: ctx.store.now(), burst, perMinute })
}

function threadNotice({ threadId }: Message): Notice {
  return {
    key: `held:thread:${threadId}`,
    subject: 'Agents answer each other again and again',
    content: `Further replies in the thread ${threadId} are held. Look at it with "postern inbox show ${threadId}"; let one go with "postern inbox held release <id>".`,
  }
}

function pairNotice(from: string, to: string): Notice {
  return {
    key: `held:pair:${from}:${to}`,
    subject: `${from} writes to ${to} too often`,
    content: `Messages from ${from} to ${to} beyond the allowed rate are held. See them with "postern inbox held list"; let one go with "postern inbox held release <id>".`,
  }
}
