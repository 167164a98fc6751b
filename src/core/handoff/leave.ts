import type { HandoffRoot, ItemDraft } from '../../handoff/handoff-shelf.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { LeaveItem, LeftItem } from '../../model/handoff/handoff.ts'
import type { ItemRef } from '../../model/handoff/item.ts'
import type { Context, Handoffs } from '../context.ts'
import { pushUnderKey } from '../inbox/push.ts'
import { shorten } from '../notices/subject.ts'
import {
  bindThread,
  draftThreadGate,
  messagePriority,
  quoted,
  requireBridged,
  setThreadPlan,
  takePlanBack,
} from './bridge.ts'
import { type ItemWords, parseWords, requireSharing, sessionOf } from './draft.ts'
import { headlineOf } from './headline.ts'
import { endIfLost } from './lost-threads.ts'
import { requireRoot } from './place.ts'

/**
 * Leaves an item. What can be refused is looked at before anything is done. A plan is set before the file, for it is of
 * use without one; a gate after it, for without one it would hold its agent for nothing. That the agent it is for is told
 * never takes the item back.
 */
export async function leaveItem(ctx: Context, input: LeaveItem): Promise<LeftItem> {
  const words = parseWords(input)
  const handoffs = await ctx.handoff()
  const root = await requireRoot(ctx, handoffs, input)
  requireSharing(root, words)
  const now = ctx.store.now()
  const session = sessionOf(input.session, root, now)
  const agent = await requireBridged(ctx, words, input)
  const gate = input.gate ? draftThreadGate(ctx, agent, words) : null
  const about = { agent, root: root.root, session }
  const plan = input.plan === undefined ? null : await setThreadPlan(ctx, about, words, input.plan)

  const created = new Date(now).toISOString()
  const draft: ItemDraft = { ...words, from_session: session, created, gate: gate?.id ?? null, plan }
  const left = await write(handoffs, root, draft, {
    afterwards: async (item) => {
      if (gate === null && plan === null) return
      await bindThread(ctx, { gate, plan }, root, item)
      await endIfLost(ctx, handoffs, root, item)
    },
    takeBack: () => takePlanBack(ctx, plan),
  })
  return {
    ...left,
    from_session: session,
    tokens: Math.ceil(handoffs.leastTokens({ ...draft, ...left, extra: {} })),
    message: await tellAgent(ctx, root, words, { ...left, session }),
    gate: draft.gate,
    plan,
  }
}

interface Steps {
  afterwards(item: ItemRef): Promise<void>
  takeBack(): Promise<void>
}

/** What was left and cannot be completed is taken out of the box again: whoever left it does so once more. */
async function write(
  handoffs: Handoffs,
  root: HandoffRoot,
  draft: ItemDraft,
  { afterwards, takeBack }: Steps,
): Promise<ItemRef & { readonly path: string }> {
  try {
    const { box, name, path } = await handoffs.leave(root, draft)
    try {
      await afterwards({ box, name })
    } catch (error) {
      await handoffs.archive(root, { box, name }, 'processed')
      throw error
    }
    return { box, name, path }
  } catch (error) {
    await takeBack()
    throw error
  }
}

interface ToldItem extends ItemRef {
  readonly session: string
}

/** Points the agent to the item, which stands whatever becomes of this. */
async function tellAgent(
  ctx: Context,
  { root }: HandoffRoot,
  { to, type, priority, body }: ItemWords,
  { box, name, session }: ToldItem,
): Promise<string | null> {
  if (to === null) return null
  const headline = headlineOf(body)
  try {
    const { id } = await pushUnderKey(ctx, `handoff:${name}`, {
      to: [to],
      type: 'handoff.item',
      subject: `A ${type} was left for you: ${shorten(headline)}`,
      content: [
        `${session} left a ${type} for you in ${root}:`,
        headline,
        `See it with: postern handoff show ${quoted(name)} --project ${quoted(root)}`,
      ].join('\n'),
      payload: { project: root, box, name, type },
      priority: messagePriority(priority),
      ref: `handoff:${name}`,
    })
    return id
  } catch (error) {
    ctx.note('handoff.untold', { agent: to, name, error: reasonOf(error) })
    return null
  }
}
