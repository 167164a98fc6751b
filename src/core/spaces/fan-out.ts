import type { Agent } from '../../model/agent.ts'
import { agentOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import type { Message } from '../../model/message.ts'
import type { PushMessage, PushResult } from '../../model/postern.ts'
import {
  parseSpaceId,
  SPACE_MESSAGE,
  type Space,
  type SpacePost,
  spaceAddress,
  spaceOf,
} from '../../model/sources/space.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { type DeliverResult, deliver, type PushDraft, type ReplyReaction } from '../deliveries/deliver.ts'
import { requireMember, requireUnclosedSpace, SAY_WHO, unreadableUpTo } from './find.ts'

/**
 * Adds a post to its space and stores the message that carries it to every member but the author: all of it or nothing.
 * The space is locked until the commit, so its posts have one order, which is that of every inbox too.
 */
export async function storePost(
  ctx: Context,
  tx: Shelves,
  { input, message }: PushDraft,
  replied: ReplyReaction | undefined,
): Promise<DeliverResult> {
  requireOnlyWords(input)
  const space = await requireUnclosedSpace(ctx, tx, spaceOf(message.to[0] ?? '') ?? '')
  const author = await requireMember(tx, space, requireAgentOf(ctx))
  const earlier = await earlierPost(tx, space, message)
  if (earlier) return { result: await repetitionOf(tx, earlier, message), told: [] }
  await requireAnswered(ctx, tx, space, message)
  const { id: messageId, from, content, priority, replyTo, dedupKey, createdAt } = message
  const senderName = author.displayName
  const said = { messageId, from, senderName, content, priority, replyTo, dedupKey, createdAt }
  await tx.spaces.post({ id: space.id, ...said })
  const others = (await tx.spaces.members(space.id)).flatMap(({ agent }) => (agent === author.id ? [] : [agent]))
  if (others.length === 0) return { result: { id: messageId, duplicate: false, recipients: [] }, told: [] }
  return deliver(ctx, tx, await carrierOf(tx, message, { space, author, others }), replied)
}

/** Whoever posts in several spaces at once locks them in one order, or two who do could wait for each other. */
export async function lockSpaces(tx: Shelves, drafts: readonly PushDraft[]): Promise<void> {
  const ids = drafts.flatMap(({ message }) => spaceOf(message.to[0] ?? '') ?? []).map(parseSpaceId)
  for (const id of [...new Set(ids)].sort()) await tx.spaces.get(id)
}

/** What a message may have and a post has not. It would be lost for those who read the conversation. */
const BEYOND_WORDS = [
  'subject',
  'payload',
  'context',
  'ref',
  'ttlMs',
  'attachments',
  'create',
] as const satisfies readonly (keyof PushMessage)[]

function requireOnlyWords(input: PushMessage): void {
  const isOther = input.type !== undefined && input.type !== SPACE_MESSAGE
  const surplus = isOther ? 'type' : BEYOND_WORDS.find((field) => input[field] !== undefined)
  if (surplus === undefined) return
  throw new PosternError('VALUE_INVALID', {
    field: `${surplus} of a post`,
    value: input[surplus],
    next: 'A post in a space has words, a priority, a dedup key and what it replies to. Push the rest to the members by their names.',
  })
}

function requireAgentOf({ caller }: Context): string {
  const agent = agentOf(caller)
  if (agent !== undefined) return agent
  throw new PosternError('USAGE', {
    message: 'Only members speak in a space, and it is not clear who speaks.',
    next: SAY_WHO,
  })
}

async function earlierPost(tx: Shelves, { id }: Space, { from, dedupKey }: Message): Promise<SpacePost | undefined> {
  return dedupKey === null ? undefined : tx.spaces.withKey({ id, from: from.id, dedupKey })
}

/** The same post again is the same post, for those to whom it went then: who joined later finds it in the history. */
async function repetitionOf(tx: Shelves, earlier: SpacePost, later: Message): Promise<PushResult> {
  const isSame = (['content', 'priority', 'replyTo'] as const).every((field) => earlier[field] === later[field])
  const { messageId: id } = earlier
  if (!isSame) throw new PosternError('DEDUP_CONFLICT', { key: later.dedupKey ?? '', agent: later.to.join(), id })
  const deliveries = await tx.deliveries.ofMessage(id)
  return { id, duplicate: true, recipients: deliveries.map(({ agent, state }) => ({ agent, state, duplicate: true })) }
}

/** A post answers only posts of the same space that its author may read. */
async function requireAnswered(ctx: Context, tx: Shelves, space: Space, { replyTo }: Message): Promise<void> {
  if (replyTo === null) return
  requireStorable(replyTo, 'MESSAGE_NOT_FOUND')
  const answered = await tx.spaces.ofMessage({ id: space.id, messageId: replyTo })
  if (!answered || answered.seq <= (await unreadableUpTo(ctx, tx, space)))
    throw new PosternError('MESSAGE_NOT_FOUND', { id: replyTo })
}

interface Fan {
  readonly space: Space
  readonly author: Agent
  readonly others: readonly string[]
}

/** The key is the post's, within its space: in an inbox it could stand in the way of another's. */
async function carrierOf(tx: Shelves, message: Message, { space, author, others }: Fan): Promise<Message> {
  const { id: spaceId, name: spaceName } = space
  const senderType = author.kind === 'ai' ? 'agent' : author.kind
  return {
    ...message,
    type: SPACE_MESSAGE,
    to: others,
    payload: { spaceId, spaceName, senderName: author.displayName, senderType },
    ref: spaceAddress(spaceId),
    replyTo: await threadParent(tx, message),
    dedupKey: null,
  }
}

/** A post outlives the message that carried it; a reply to one whose message is gone begins a thread. */
async function threadParent(tx: Shelves, { replyTo }: Message): Promise<string | null> {
  return replyTo !== null && (await tx.messages.getAnswered(replyTo)) ? replyTo : null
}
