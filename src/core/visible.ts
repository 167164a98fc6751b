import { isConfined } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import { EVERYBODY, type Message } from '../model/message.ts'
import type { Context } from './context.ts'

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
