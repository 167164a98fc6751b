import type { InboxMessage } from '../model/delivery.ts'
import type { Inbox, Postern } from '../model/postern.ts'
import { NORMAL } from '../model/priority.ts'
import { parseEntry, type SpoolEntry } from '../spool/entry.ts'
import { formatSpoolCopy } from '../spool/message-copy.ts'
import { findTarget, type Target, type TargetParams, type TargetSpool } from './target.ts'

/** As much of Postern as a courier needs. */
export interface CourierPostern {
  readonly agents: Pick<Postern['agents'], 'show'>
  readonly sessions: Pick<Postern['sessions'], 'list'>
  readonly inbox: Pick<Inbox, 'list' | 'wait' | 'ingest'>
}

/** What the store says of an agent at one moment. */
export interface Sight {
  readonly target: Target
  /** How many messages of others wait that are urgent enough to wake somebody. */
  readonly waking: number
}

/** Mail that is less urgent waits for the next prompt. */
const WAKING_PRIORITY = NORMAL
const PAGE = 100

export async function lookFor(postern: CourierPostern, agent: string, params: TargetParams): Promise<Sight> {
  const [sessions, { pending }] = await Promise.all([
    postern.sessions.list({ agent }),
    postern.inbox.wait({ agent, timeoutMs: 0, maxPriority: WAKING_PRIORITY, fromOthers: true }),
  ])
  return { target: findTarget(sessions, params), waking: pending }
}

/** How far an inbox was looked through; null: not at all. */
export type Place = number | null

/**
 * Hands over what waits in an inbox beyond a place, in its order and some at a time, and returns the place that was
 * reached. What is handed back to the inbox keeps its place, so from time to time it is looked through from its start.
 */
export async function bringPending(postern: CourierPostern, { agent, from, put }: BringParams): Promise<Place> {
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

export interface BringParams {
  readonly agent: string
  readonly from: Place
  /** False where no more is wanted. */
  put(entries: readonly SpoolEntry[]): Promise<boolean>
}

/** The same entry as the one that wires carry. */
function entryOf(message: InboxMessage): SpoolEntry[] {
  const parsed = parseEntry(formatSpoolCopy(message))
  return 'entry' in parsed ? [parsed.entry] : []
}

/** How long somebody else may have its lock, and how long it may take. */
const LEAVING_MS = 2_000

/**
 * Takes what stands in a spool that is served no longer into the store. A session that is over never looks there, and one
 * that is resumed while the store is away would be shown what another has seen. Where it fails the spool keeps what it has.
 */
export async function takeHome(postern: CourierPostern, { agent, spool, ingestSpool }: TakeHome): Promise<void> {
  const { root, sessionId } = spool
  await ingestSpool(postern, { agent, root, sessionId, patienceMs: LEAVING_MS }).catch(() => {})
}

export interface TakeHome {
  readonly agent: string
  readonly spool: TargetSpool
  readonly ingestSpool: IngestSpool
}

/** Stores what a spool holds in the agent's inbox. Rejects if the spool or the store cannot be used. */
export type IngestSpool = (
  postern: CourierPostern,
  spool: Pick<TargetSpool, 'root' | 'sessionId'> & { readonly agent: string; readonly patienceMs: number },
) => Promise<unknown>

/** A store that answers no sooner is as good as away, for those who wait for their mail. */
const PATIENCE_MS = 5_000

/** The same Postern; each question fails where its answer takes too long. */
export function patiently({ agents, sessions, inbox }: CourierPostern): CourierPostern {
  return {
    agents: { show: (input) => inTime(agents.show(input)) },
    sessions: { list: (input) => inTime(sessions.list(input)) },
    inbox: {
      list: (input) => inTime(inbox.list(input)),
      wait: (input) => inTime(inbox.wait(input)),
      ingest: (input) => inTime(inbox.ingest(input)),
    },
  }
}

/** What comes too late is nobody's any more. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the store did not answer within ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  work.catch(() => {})
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
