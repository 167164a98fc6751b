import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/message.ts'
import type { PushMessage, PushResult } from '../../model/postern.ts'
import { RING_ALL } from '../../model/ring.ts'
import { spaceOf } from '../../model/sources/space.ts'
import type { Context } from '../context.ts'
import { composeMessage } from '../deliveries/compose.ts'
import type { PushDraft } from '../deliveries/deliver.ts'
import { unknownAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'

/** Stores a message for all its recipients or for none, then rings them. */
export async function pushMessage(ctx: Context, input: PushMessage): Promise<PushResult> {
  const results = await pushDrafts(ctx, [{ input, message: composeMessage(ctx, input) }])
  return results[0] as PushResult
}

/** Stores a message under a key that Postern makes, and that no caller may choose. */
export async function pushUnderKey(ctx: Context, dedupKey: string, input: PushMessage): Promise<PushResult> {
  const results = await pushDrafts(ctx, [{ input, message: { ...composeMessage(ctx, input), dedupKey } }])
  return results[0] as PushResult
}

/** Stores many messages with one commit: all of them or none. */
export async function pushMany(
  ctx: Context,
  { messages }: { readonly messages: readonly PushMessage[] },
): Promise<readonly PushResult[]> {
  if (messages.length > ctx.limits.pushesPerBatch) {
    throw new PosternError('VALUE_INVALID', {
      field: 'number of messages',
      value: messages.length,
      next: `Push at most ${ctx.limits.pushesPerBatch} at once.`,
    })
  }
  if (messages.length === 0) return []
  return pushDrafts(
    ctx,
    messages.map((input) => ({ input, message: composeMessage(ctx, input) })),
  )
}

export interface StoredPush {
  readonly results: readonly PushResult[]
  /** People who were told of something, and are to be rung after the commit. */
  readonly told: readonly string[]
}

async function pushDrafts(ctx: Context, drafts: readonly PushDraft[]): Promise<readonly PushResult[]> {
  const { results, told } = await explainUnknown(ctx, () => storeDrafts(ctx, drafts))
  ringFor(ctx, results, told)
  return results
}

async function storeDrafts(ctx: Context, drafts: readonly PushDraft[]): Promise<StoredPush> {
  if (drafts.every((draft) => isPlain(ctx, draft))) return storePlain(ctx, drafts)
  const { storeInFull } = await import('./push-in-full.ts')
  return storeInFull(ctx, drafts)
}

/** Most messages need nothing to be looked up before they are stored: one call on one shelf does it. */
function isPlain(ctx: Context, { input, message }: PushDraft): boolean {
  const [address = ''] = message.to
  if (address === EVERYBODY || spaceOf(address) !== undefined) return false
  return !isProgram(ctx.caller) && message.replyTo === null && !input.create
}

async function storePlain(ctx: Context, drafts: readonly PushDraft[]): Promise<StoredPush> {
  const items = drafts.map(({ message }) => ({ message, held: [], revives: true }))
  return { results: await ctx.store.push({ items, pendingLimit: ctx.limits.pendingPerAgent }), told: [] }
}

/** An unknown recipient is answered with the name that was probably meant. */
export async function explainUnknown<T>(ctx: Context, push: () => Promise<T>): Promise<T> {
  try {
    return await push()
  } catch (error) {
    if (!(error instanceof PosternError) || error.code !== 'AGENT_NOT_FOUND') throw error
    throw await unknownAgent(ctx.store.read, String(error.details['id']))
  }
}

/** A message to oneself is stored but wakes nobody, and neither does one that was there before. */
export function ringFor(ctx: Context, results: readonly PushResult[], told: readonly string[]): void {
  const names = new Set(told)
  for (const { recipients } of results) {
    for (const { agent, state, duplicate } of recipients) {
      if (duplicate || state !== 'pending' || agent === ctx.caller.id) continue
      names.add(agent === EVERYBODY ? RING_ALL : agent)
    }
  }
  ring(ctx, [...names])
}
