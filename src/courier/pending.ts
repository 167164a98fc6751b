import type { InboxMessage } from '../model/delivery.ts'
import { NORMAL } from '../model/priority.ts'
import { parseEntry, type SpoolEntry } from '../spool/entry.ts'
import { formatSpoolCopy } from '../spool/message-copy.ts'
import type { CourierPostern } from './courier-postern.ts'
import { findTarget, type Target, type TargetParams, type TargetSpool } from './target.ts'

/** What the store says about an agent's session and mail. */
export interface MailState {
  readonly target: Target
  /** How many waiting messages from others are urgent enough to wake the agent. */
  readonly waking: number
}

/** Less urgent mail waits for the next prompt. */
const WAKING_PRIORITY = NORMAL
const PAGE = 100

export async function readMailState(postern: CourierPostern, agent: string, params: TargetParams): Promise<MailState> {
  const [sessions, { pending }] = await Promise.all([
    postern.sessions.list({ agent }),
    postern.inbox.wait({ agent, timeoutMs: 0, maxPriority: WAKING_PRIORITY, fromOthers: true }),
  ])
  return { target: findTarget(sessions, params), waking: pending }
}

/** The last sequence number that was read from an inbox; null: none. */
export type InboxCursor = number | null

/**
 * Puts the pending messages of an inbox after a cursor into a spool, page by page and in order, and returns the cursor
 * that was reached. A message that is released to the inbox keeps its sequence number, so the caller starts from null
 * now and then.
 */
export async function spoolPending(postern: CourierPostern, { agent, from, put }: SpoolPending): Promise<InboxCursor> {
  let reached = from
  for (let isMore = true; isMore; ) {
    const after = reached === null ? {} : { after: `${agent}:${reached}` }
    const page = await postern.inbox.list({ agent, which: 'pending', limit: PAGE, ...after })
    const isRoom = await put(page.items.flatMap(entryOf))
    if (!isRoom) return reached
    reached = page.items.at(-1)?.inboxSeq ?? reached
    isMore = page.next !== null
  }
  return reached
}

export interface SpoolPending {
  readonly agent: string
  readonly from: InboxCursor
  /** False if the spool has no room for more. */
  put(entries: readonly SpoolEntry[]): Promise<boolean>
}

/** The same entry that wires carry. */
function entryOf(message: InboxMessage): SpoolEntry[] {
  const parsed = parseEntry(formatSpoolCopy(message))
  return 'entry' in parsed ? [parsed.entry] : []
}

/** How long to wait for the spool's lock, and how long the ingest may take. */
const LEAVING_MS = 2_000

/**
 * Stores what is left in a spool that the courier no longer serves. A session that has ended never reads it, and one
 * that resumes while the store is down would be shown what another session has seen. If this fails, the spool keeps its
 * entries.
 */
export async function returnToInbox(
  postern: CourierPostern,
  { agent, spool, ingestSpool }: ReturnToInbox,
): Promise<void> {
  const { root, sessionId } = spool
  await ingestSpool(postern, { agent, root, sessionId, patienceMs: LEAVING_MS }).catch(() => {})
}

export interface ReturnToInbox {
  readonly agent: string
  readonly spool: TargetSpool
  readonly ingestSpool: IngestSpool
}

/** Stores what a spool holds in the agent's inbox. Rejects if the spool or the store cannot be used. */
export type IngestSpool = (
  postern: CourierPostern,
  spool: Pick<TargetSpool, 'root' | 'sessionId'> & { readonly agent: string; readonly patienceMs: number },
) => Promise<unknown>
