import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import type { Context } from '../context.ts'

/**
 * Whether the caller may know of a message. A program that has shown a credential knows what it has sent, what it was
 * sent and what everybody was sent; to others nothing can be denied that they could not read in the store themselves.
 */
export function isVisible({ caller }: Context, { from, to }: Message): boolean {
  if (!isConfined({ caller })) return true
  return from.id === caller.id || to.includes(caller.id) || to[0] === EVERYBODY
}

/** Whether the caller sees only what concerns it. */
export function isConfined({ caller }: Pick<Context, 'caller'>): boolean {
  return caller.verified && isProgram(caller)
}

/** The message, unless there is none that the caller may know of. */
export function requireVisible(ctx: Context, id: string, message: Message | undefined): Message {
  if (message && isVisible(ctx, message)) return message
  throw new PosternError('MESSAGE_NOT_FOUND', { id })
}

/** Another agent's offer does not exist for a program that sees only what concerns it. */
export async function requireOwnOffer(ctx: Context, id: string): Promise<void> {
  requireStorable(id, 'OFFER_NOT_FOUND')
  if (!isConfined(ctx)) return
  const offer = await ctx.store.read.offers.get(id)
  if (offer && offer.agent !== ctx.caller.id) throw new PosternError('OFFER_NOT_FOUND', { id })
}
