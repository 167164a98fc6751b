import { SYSTEM_CALLER } from '../../model/caller.ts'
import type { Message } from '../../model/message.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

/** Keys that begin so are ours alone: nobody can take the key of a notice before it is sent. */
export const NOTICE_KEYS = 'postern:'

/** Something a person should know. Under one key it is said once, so its words may not vary. */
export interface Notice {
  readonly key: string
  readonly subject: string
  readonly content: string
}

/**
 * Tells a person in the same transaction: those who are owners, else everybody human. Where there is nobody, `doctor`
 * shows the matter itself. Returns whom to ring after the commit.
 */
export async function tellPeople(ctx: Context, tx: Shelves, notice: Notice): Promise<readonly string[]> {
  const agents = await tx.agents.list({ removed: false })
  const humans = agents.filter((agent) => agent.kind === 'human')
  const owners = humans.filter((agent) => agent.isOwner)
  const to = (owners.length > 0 ? owners : humans).map((agent) => agent.id)
  if (to.length === 0) return []
  // A notice is never refused for want of room: the person must hear of it.
  await tx.messages.push({
    items: [{ message: noticeMessage(ctx, notice, to), held: [] }],
    pendingLimit: Number.MAX_SAFE_INTEGER,
  })
  return to
}

function noticeMessage(ctx: Context, { key, subject, content }: Notice, to: readonly string[]): Message {
  const id = ctx.newId('msg')
  const { id: from, kind, verified, via } = SYSTEM_CALLER
  return {
    id,
    type: 'system',
    from: { id: from, kind, verified, via },
    to,
    subject,
    content,
    payload: null,
    context: null,
    priority: 1,
    ref: null,
    replyTo: null,
    threadId: id,
    hops: 0,
    dedupKey: `${NOTICE_KEYS}${key}`,
    attachments: [],
    createdAt: ctx.store.now(),
    expiresAt: null,
  }
}
