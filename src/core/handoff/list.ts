import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { HandoffListing, HandoffPlace } from '../../model/handoff/handoff.ts'
import type { HandoffItem } from '../../model/handoff/item.ts'
import type { Context } from '../context.ts'
import { endLostThreads } from './lost-threads.ts'
import { asShown, fileKey } from './offered.ts'
import { isSetUp, requireRoot } from './place.ts'
import { lookForItems } from './waiting.ts'

/** What waits, or what was inherited. Looking takes nothing. */
export async function listItems(
  ctx: Context,
  input: HandoffPlace & { readonly processed?: boolean },
): Promise<HandoffListing> {
  const handoffs = await ctx.handoff()
  const root = await requireRoot(ctx, handoffs, input)
  if (!input.processed) await endLostThreads(ctx, handoffs, root)
  const { items, refused } = input.processed ? await handoffs.processed(root) : await lookForItems(ctx, handoffs, root)
  const { inheritances } = ctx.store.read
  const machine = ctx.machine.name
  const open = input.processed ? [] : await inheritances.open({ machine })
  const offered = new Set(open.flatMap((record) => record.items.map((item) => fileKey(record, item))))
  const cost = await inheritances.cost({ machine, root: root.root })
  return {
    root: root.root,
    isInitialised: await isSetUp(ctx, root),
    items: items
      .filter((item) => isVisible(ctx, item))
      .map((item) => ({
        ...asShown(item),
        tokens: Math.ceil(handoffs.leastTokens(item)),
        isOffered: offered.has(fileKey(root, item)),
      })),
    refused,
    averageTokens: cost.inheritances === 0 ? null : Math.round(cost.tokens / cost.inheritances),
    inheritances: cost.inheritances,
  }
}

export async function showItem(ctx: Context, input: HandoffPlace & { readonly name: string }): Promise<HandoffItem> {
  const { name } = input
  const handoffs = await ctx.handoff()
  const root = await requireRoot(ctx, handoffs, input)
  const item = isFileName(name) ? await handoffs.find(root, name) : undefined
  if (item && isVisible(ctx, item)) return asShown(item)
  throw new PosternError('HANDOFF_ITEM_NOT_FOUND', { name })
}

/** What is for one agent is none of another's business, where that cannot simply read the file. */
function isVisible(ctx: Context, { to }: HandoffItem): boolean {
  return !isConfined(ctx.caller) || to === null || to === ctx.caller.id
}

const NAME_CHARACTERS = 255

function isFileName(name: string): boolean {
  return name.length <= NAME_CHARACTERS && name.isWellFormed() && /^[^./\0][^/\0]*$/.test(name)
}
