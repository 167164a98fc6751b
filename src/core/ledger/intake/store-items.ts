import type { Caller } from '../../../model/caller.ts'
import type { Message } from '../../../model/message.ts'
import type { PushItem, Shelves } from '../../../store/store.ts'
import type { Context } from '../../context.ts'
import { damp } from '../../deliveries/damping.ts'
import { hourOf, tellPeople } from '../../notices/notice.ts'
import { hasOwnKey, ledgerKey } from '../messages/compose.ts'
import { InboxCapacity } from './inbox-capacity.ts'
import type { IntakeItem } from './intake.ts'

export interface StoredItems {
  /** That were not there before. */
  readonly messages: number
  readonly rings: readonly string[]
  /** Messages of outsiders for which there was no room. */
  readonly full: number
}

/** Stores all messages of a batch with one call. */
export async function storeItems(ctx: Context, tx: Shelves, given: readonly IntakeItem[]): Promise<StoredItems> {
  const rings: string[] = []
  const capacity = new InboxCapacity(ctx.limits.pendingPerAgent, ctx.store.now())
  const items = new Map<string, PushItem>()
  let full = 0
  for (const item of given) {
    const message = await addressed(tx, capacity, item)
    if (!message || items.has(message.id)) continue
    if (!item.isOurs && !(await capacity.take(tx, message.to))) {
      full++
      rings.push(...(await tellOfFull(ctx, tx, message)))
      continue
    }
    const { held, told } = item.isOurs && !item.isDamped ? await dampOwn(ctx, tx, message) : UNDAMPED
    rings.push(...told)
    items.set(message.id, { message, held })
  }
  const stored = await push(tx, [...items.values()])
  return { ...stored, rings: [...rings, ...stored.rings], full }
}

async function push(tx: Shelves, items: readonly PushItem[]): Promise<Omit<StoredItems, 'full'>> {
  if (items.length === 0) return { messages: 0, rings: [] }
  const results = await tx.messages.push({ items, pendingLimit: Number.MAX_SAFE_INTEGER })
  const news = results.filter(({ duplicate }) => !duplicate)
  const pending = news.flatMap(({ recipients }) =>
    recipients.filter(({ state, duplicate }) => state === 'pending' && !duplicate),
  )
  return { messages: news.length, rings: [...new Set(pending.map(({ agent }) => agent))] }
}

/** The message for the recipients that are registered. Undefined if there are none, or all of them have it. */
async function addressed(
  tx: Shelves,
  capacity: InboxCapacity,
  { message, isOurs }: IntakeItem,
): Promise<Message | undefined> {
  const to = await capacity.present(tx, message.to)
  if (to.length === 0) return undefined
  const here = { ...message, to }
  if (!isOurs || here.dedupKey === null || !hasOwnKey(here)) return here
  // The key is its sender's own, who may have used it for something else meanwhile.
  const known = await tx.deliveries.withKey({ agents: to, dedupKey: here.dedupKey })
  if (known.length === 0) return here
  return (await tx.messages.get(here.id)) ? undefined : { ...here, dedupKey: ledgerKey(here.id) }
}

const UNDAMPED = { held: [], told: [] }

/** A message of ours that comes by a ledger alone costs its sender as much as any other. */
function dampOwn(ctx: Context, tx: Shelves, message: Message) {
  return damp({ ...ctx, caller: message.from as Caller }, tx, message)
}

function tellOfFull(ctx: Context, tx: Shelves, { to }: Message): Promise<readonly string[]> {
  const who = to.join(', ')
  return tellPeople(ctx, tx, {
    key: `ledger:full:${who}:${hourOf(ctx)}`,
    subject: `What outsiders write to ${who} does not fit into the inbox`,
    content: `The inbox of ${who} is full, so what outsiders write is left on the ledger. Read it there with "postern ledger read <topic>"; see the topics with "postern ledger topics".`,
  })
}
