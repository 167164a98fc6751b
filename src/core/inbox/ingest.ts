import { parseAgentId } from '../../model/agent.ts'
import type { DeliveryState, InboxMessage } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import type { IngestEntries, IngestEntry, Ingested } from '../../model/ingest.ts'
import type { Message } from '../../model/message.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import { parseSessionId } from '../../model/session.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'
import { requireOwnSession } from '../sessions/begin.ts'
import { draftEntry, type EntryDraft } from './ingest-draft.ts'

type Shown = NonNullable<IngestEntry['shown']>

/**
 * Stores entries of a spool for one agent, with one commit. The store wins: what the agent has under the same key or id
 * is the same message, whatever the entry says. An entry that is refused stops none of the others; where there is room
 * for some only, in the inbox or in one commit, those are the first.
 */
export async function ingestEntries(ctx: Context, input: IngestEntries): Promise<readonly Ingested[]> {
  const { entries, sessionId } = input
  const agent = parseAgentId(input.agent)
  if (sessionId !== undefined) parseSessionId(sessionId)
  const drafts = entries.slice(0, ctx.limits.pushesPerBatch).map((entry) => tryDraft(ctx, agent, entry))
  for (let count = drafts.length; count > 0; count = Math.floor(count / 2)) {
    const stored = await tryStore(ctx, { agent, sessionId: sessionId ?? null, drafts: drafts.slice(0, count) })
    if (!stored) continue
    ringFor(ctx, agent, stored)
    return entries.map((_, at) => stored[at] ?? FULL)
  }
  return entries.map(() => FULL)
}

const FULL: Ingested = { outcome: 'full' }
const KNOWN: Ingested = { outcome: 'known' }

type Draft = EntryDraft | { readonly reason: string }

function tryDraft(ctx: Context, agent: string, entry: IngestEntry): Draft {
  try {
    return draftEntry(ctx, agent, entry)
  } catch (error) {
    if (error instanceof PosternError) return { reason: error.message }
    throw error
  }
}

interface Batch {
  readonly agent: string
  readonly sessionId: string | null
  readonly drafts: readonly Draft[]
}

/** Undefined where the inbox has no room for all of them: then none is stored. */
async function tryStore(ctx: Context, batch: Batch): Promise<readonly Ingested[] | undefined> {
  try {
    return await ctx.store.transact((tx) => storeAll(ctx, tx, batch))
  } catch (error) {
    if (error instanceof PosternError && error.code === 'INBOX_FULL') return undefined
    throw error
  }
}

async function storeAll(ctx: Context, tx: Shelves, batch: Batch): Promise<readonly Ingested[]> {
  const { agent, sessionId, drafts } = batch
  await requireAgent(tx, agent)
  if (sessionId !== null) requireOwnSession(await tx.sessions.get(sessionId), agent, ctx.caller)
  // A copy of a broadcast is known by the delivery that this makes. It also keeps others from this inbox until the end.
  await tx.deliveries.takeUpBroadcasts({ agent, now: ctx.store.now() })
  const fresh = new Map<Draft, EntryDraft>()
  const known: EntryDraft[] = []
  const taken = new Set<string>()
  for (const draft of drafts) {
    if (!('message' in draft)) continue
    const isKnown = draft.keys.some((key) => taken.has(key)) || (await hasAlready(tx, agent, draft))
    if (isKnown) known.push(draft)
    else fresh.set(draft, draft)
    for (const key of draft.keys) taken.add(key)
  }
  await tx.messages.push({
    items: [...fresh.values()].map(({ message }) => ({ message, held: [] })),
    pendingLimit: ctx.limits.pendingPerAgent,
  })
  await markSeen(ctx, tx, batch, [
    ...(await pendingAmong(ctx, tx, agent, known)),
    ...(await placesOf(tx, agent, fresh.values())),
  ])
  const results: Ingested[] = []
  for (const draft of drafts) {
    if (!('message' in draft)) results.push({ outcome: 'refused', reason: draft.reason })
    else if (!fresh.has(draft)) results.push(KNOWN)
    else results.push({ outcome: 'stored', id: draft.message.id, state: await settle(ctx, tx, agent, draft) })
  }
  return results
}

async function hasAlready(tx: Shelves, agent: string, { keys, ids }: EntryDraft): Promise<boolean> {
  for (const dedupKey of keys) {
    const holders = await tx.deliveries.withKey({ agents: [agent], dedupKey })
    if (holders.length > 0) return true
  }
  for (const id of ids) {
    const deliveries = await tx.deliveries.ofMessage(id)
    if (deliveries.some((delivery) => delivery.agent === agent)) return true
  }
  return false
}

/** What was over before it came is stored as that: nothing disappears without a trace. */
async function settle(ctx: Context, tx: Shelves, agent: string, draft: EntryDraft): Promise<DeliveryState> {
  const { message, shown } = draft
  if (shown) return 'seen'
  const at = ctx.store.now()
  if (message.expiresAt === null || message.expiresAt > at) return 'pending'
  const reason = 'its time to live was over before it was taken over'
  await tx.deliveries.move({ id: message.id, agent, from: ['pending'], to: 'expired', at, by: 'system', reason })
  return 'expired'
}

interface SeenMessage {
  readonly message: InboxMessage
  readonly shown: Shown
}

/** Messages that were just stored and had been shown before, with their places in the inbox. */
async function placesOf(tx: Shelves, agent: string, drafts: Iterable<EntryDraft>): Promise<SeenMessage[]> {
  const seen: SeenMessage[] = []
  for (const { message, shown } of drafts) {
    if (!shown) continue
    const [delivery] = await tx.deliveries.ofMessage(message.id)
    if (delivery) seen.push({ message: asPending(message, agent, delivery.inboxSeq), shown })
  }
  return seen
}

function asPending(message: Message, agent: string, inboxSeq: number): InboxMessage {
  return { ...message, agent, state: 'pending', attempt: 0, inboxSeq }
}

const PAGE = 1_000

/** Messages that wait for the agent although it was shown a copy of them. */
async function pendingAmong(
  ctx: Context,
  tx: Shelves,
  agent: string,
  known: readonly EntryDraft[],
): Promise<SeenMessage[]> {
  const drafts = known.filter(({ shown }) => shown !== undefined)
  const byName = new Map(drafts.flatMap((draft) => [...draft.keys, ...draft.ids].map((name) => [name, draft.shown])))
  const seen: SeenMessage[] = []
  for (let after = 0; byName.size > 0; ) {
    const cursor = { agent, inboxSeq: after }
    const page = await tx.deliveries.list({
      agent,
      states: ['pending'],
      now: ctx.store.now(),
      limit: PAGE,
      after: cursor,
    })
    for (const message of page) {
      const shown = byName.get(message.id) ?? byName.get(message.dedupKey ?? '')
      if (shown) seen.push({ message, shown })
    }
    if (page.length < PAGE) break
    after = page.at(-1)?.inboxSeq ?? after
  }
  return seen
}

/** They have been seen, so they go the way of everything that is: an offer that was printed and confirmed. */
async function markSeen(ctx: Context, tx: Shelves, batch: Batch, seen: readonly SeenMessage[]): Promise<void> {
  const occasions = Map.groupBy(seen, ({ shown }) => `${shown.at} ${shown.evidence}`)
  for (const members of occasions.values()) {
    const taken = members.map(({ message }) => message)
    const shown = members[0]?.shown
    if (!shown) continue
    const at = Math.min(shown.at, ctx.store.now())
    const { agent, sessionId } = batch
    const open = { printedAt: null, closedAt: null, outcome: null, evidence: null }
    const offer = { id: ctx.newId('off'), agent, sessionId, via: 'spool', offeredAt: at, ...open, expiresAt: at }
    if (!(await tx.offers.open({ offer: { ...offer, size: taken.length }, taken, headlines: [] }))) continue
    const closing = { id: offer.id, at, printedAt: at, outcome: 'confirmed' as const, evidence: shown.evidence }
    await tx.offers.close({ ...closing, maxAttempts: ctx.limits.attempts })
  }
}

function ringFor(ctx: Context, agent: string, stored: readonly Ingested[]): void {
  const hasState = (state: DeliveryState) => stored.some((each) => each.state === state)
  ring(ctx, [
    ...(hasState('pending') ? [agent] : []),
    ...(hasState('seen') || hasState('expired') ? [RING_RECEIPTS] : []),
  ])
}
