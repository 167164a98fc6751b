import type { Caller } from '../../model/caller.ts'
import type { Json } from '../../model/json.ts'
import type { Message } from '../../model/message.ts'
import type { Priority } from '../../model/priority.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

/** A message about something that happened, from the caller that caused it. It is sent once per key. */
export interface Notice {
  readonly from: Caller
  readonly type: string
  readonly to: readonly string[]
  readonly dedupKey: string
  readonly subject: string
  readonly content: string
  readonly payload?: Json
  readonly priority?: Priority
  readonly ref?: string
}

const HIGH = 1

/**
 * Stores a notice in the transaction of the change that it reports. It ignores full inboxes and skips removed agents.
 * Returns whom to ring after the commit.
 */
export async function pushNotice(ctx: Context, tx: Shelves, notice: Notice): Promise<readonly string[]> {
  const to: string[] = []
  for (const id of [...new Set(notice.to)].sort()) {
    const agent = await tx.agents.get(id)
    if (agent?.removedAt === null) to.push(id)
  }
  if (to.length === 0) return []
  await tx.messages.push({
    items: [{ message: noticeMessage(ctx, { ...notice, to }), held: [] }],
    pendingLimit: Number.MAX_SAFE_INTEGER,
  })
  return to
}

function noticeMessage(ctx: Context, notice: Notice): Message {
  const id = ctx.newId('msg')
  const { id: from, kind, verified, via } = notice.from
  return {
    id,
    type: notice.type,
    from: { id: from, kind, verified, via },
    to: notice.to,
    subject: notice.subject,
    content: notice.content,
    payload: notice.payload ?? null,
    context: null,
    priority: notice.priority ?? HIGH,
    ref: notice.ref ?? null,
    replyTo: null,
    threadId: id,
    hops: 0,
    dedupKey: notice.dedupKey,
    attachments: [],
    trace: null,
    createdAt: ctx.store.now(),
    expiresAt: null,
  }
}
