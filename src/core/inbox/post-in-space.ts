import { agentOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { spaceAddress } from '../../model/sources/space.ts'
import type { Posted, PostInSpace } from '../../model/sources/spaces.ts'
import type { Context } from '../context.ts'
import { pushMessage } from './push.ts'

/** Posts in a space: a push to its address, which `storePost` turns into a post and a message to the other members. */
export async function postInSpace(ctx: Context, { id, ...said }: PostInSpace): Promise<Posted> {
  const spaceId = id ?? (await requireActive(ctx))
  const pushed = await pushMessage(ctx, { ...said, to: [spaceAddress(spaceId)] })
  const post = await ctx.store.read.spaces.ofMessage({ id: spaceId, messageId: pushed.id })
  if (!post) throw new PosternError('MESSAGE_NOT_FOUND', { id: pushed.id })
  const recipients = pushed.recipients.map(({ agent, state }) => ({ agent, state }))
  return { post, spaceId, duplicate: pushed.duplicate, recipients }
}

async function requireActive({ caller, store }: Context): Promise<string> {
  const agent = agentOf(caller)
  const active = agent === undefined ? undefined : await store.read.spaces.active({ agent })
  if (active === undefined) throw new PosternError('SPACE_NOT_ENTERED', { agent: caller.id })
  return active
}
