import { isConfined } from '../model/caller.ts'
import type { Decision } from '../model/decision.ts'
import { PosternError } from '../model/errors.ts'
import { GATE_STATES, type Gate } from '../model/gate.ts'
import { requireStorable } from '../model/ids.ts'
import { EVERYBODY, type Message } from '../model/message.ts'
import type { Shelves } from '../store/store.ts'
import type { Context } from './context.ts'

/**
 * Who may know of a message, a gate or a decision. Every verb that takes the id of one finds it here, so a caller gets
 * the same answer for one that does not exist and for one that it may not see.
 */

/** Whether the caller may know of a message. A confined program knows what it sent, what it was sent, and broadcasts. */
export function isVisible({ caller }: Context, { from, to }: Message): boolean {
  if (!isConfined(caller)) return true
  return from.id === caller.id || to.includes(caller.id) || to[0] === EVERYBODY
}

/** The message, unless there is none that the caller may know of. */
export function requireVisible(ctx: Context, id: string, message: Message | undefined): Message {
  if (message && isVisible(ctx, message)) return message
  throw new PosternError('MESSAGE_NOT_FOUND', { id })
}

/** Refuses a reply to a message that the caller may not know of. */
export async function requireVisibleParent(ctx: Context, shelves: Shelves, { replyTo }: Message): Promise<void> {
  if (replyTo === null || !isConfined(ctx.caller)) return
  requireStorable(replyTo, 'MESSAGE_NOT_FOUND')
  requireVisible(ctx, replyTo, await shelves.messages.get(replyTo))
}

/** The gate, unless there is none that the caller may know of. A confined program knows the gates that concern it. */
export async function requireGate(ctx: Context, shelves: Shelves, id: string): Promise<Gate> {
  requireStorable(id, 'GATE_NOT_FOUND')
  const gate = await shelves.gates.get(id)
  if (gate && (!isConfined(ctx.caller) || concerns(gate, ctx.caller.id))) return gate
  throw new PosternError('GATE_NOT_FOUND', { id })
}

function concerns({ agent, createdBy, escalateTo, waiters }: Gate, id: string): boolean {
  return [agent, createdBy, escalateTo, ...waiters].includes(id)
}

/**
 * The decision, unless there is none that the caller may know of. A confined program knows its own questions, those that
 * it was asked, and those whose answer a gate that concerns it waits for.
 */
export async function requireDecision(ctx: Context, shelves: Shelves, id: string): Promise<Decision> {
  requireStorable(id, 'DECISION_NOT_FOUND')
  const decision = await shelves.decisions.get(id)
  if (decision && (await isKnown(ctx, shelves, decision))) return decision
  throw new PosternError('DECISION_NOT_FOUND', { id })
}

async function isKnown(
  { caller }: Context,
  shelves: Shelves,
  { id, agent, createdBy, asked }: Decision,
): Promise<boolean> {
  if (!isConfined(caller) || [agent, createdBy, ...asked].includes(caller.id)) return true
  const waiting = { concerning: caller.id, awaits: id, states: GATE_STATES, limit: 1 }
  return (await shelves.gates.list(waiting)).length > 0
}
