import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CRITICAL_LIMIT, chooseInSlices } from '../core/inbox/budget.ts'
import { senderOf } from '../core/inbox/ingest-draft.ts'
import { sha256 } from '../kit/node/crypto.ts'
import { monotonicMs } from '../kit/node/monotonic.ts'
import type { InboxMessage, ShownMessage } from '../model/delivery.ts'
import type { IngestEntry, Ingested } from '../model/ingest.ts'
import { DEFAULT_LIMITS } from '../model/limits.ts'
import type { Drained, HealthCheck, Inbox } from '../model/postern.ts'
import { CRITICAL, type Priority } from '../model/priority.ts'
import { frameSize } from '../render/fence.ts'
import { mayFit, measure } from '../render/measure.ts'
import { unwrapReminder } from '../render/reminder.ts'
import { SpoolError } from '../spool/file.ts'
import { quarantineFolder, sessionOf, spoolFolder, spoolPath } from '../spool/path.ts'
import { offerCopies, rememberCopies, type SpoolCopy } from '../spool/shown.ts'
import { type TakenEntry, takeSpool, type Verdict } from '../spool/take.ts'

export { projectRoot, spoolPath } from './spool-place.ts'
export { SpoolError }

/** Which spool, and for how long to wait for whoever has it locked. */
export interface SpoolRef {
  readonly sessionId: string
  /** The project's root, below which `.runtime/` lies. */
  readonly root: string
  readonly patienceMs?: number
}

const PATIENCE_MS = 500

/** Who has no more patience than this begins with a small take, and makes the next one larger where it was quick. */
const HURRIED_MS = 1_000
const FEW_ENTRIES = 50
const MANY_ENTRIES = 1_000
const GROWTH = 4
const QUICK_MS = 100

export interface SpoolReport {
  /** Entries that the store has now, whether they were new to it or not. */
  readonly done: number
  /** Entries that stay in the spool for now. */
  readonly kept: number
  readonly quarantined: number
}

/**
 * Brings what stands in a session's spool into the agent's inbox. Nothing leaves the spool before the store has it; where
 * the store fails, this fails as the store did. Throws SpoolError where the spool cannot be used.
 *
 * A hook has little time and the store may be far away, so its first take is small: where it is cut short in a later one
 * it has brought something, and the next hook brings more.
 */
export async function ingestSpool(
  postern: { readonly inbox: Pick<Inbox, 'ingest'> },
  { agent, sessionId, root, patienceMs = PATIENCE_MS }: SpoolRef & { readonly agent: string },
): Promise<SpoolReport> {
  const path = spoolPath(root, sessionId)
  const deadline = monotonicMs() + patienceMs
  const report = { done: 0, kept: 0, quarantined: 0 }
  let maxEntries = patienceMs <= HURRIED_MS ? FEW_ENTRIES : MANY_ENTRIES
  for (let isMore = true; isMore; ) {
    const begunAt = monotonicMs()
    const taken = await takeSpool({
      path,
      maxEntries,
      patienceMs: Math.max(0, deadline - monotonicMs()),
      now: Date.now(),
      deliver: async (entries) =>
        (await postern.inbox.ingest({ agent, sessionId, entries: entries.map(ingestEntry) })).map(verdictOn),
    })
    report.done += taken.done
    report.quarantined += taken.quarantined
    report.kept = taken.kept
    if (monotonicMs() - begunAt < QUICK_MS) maxEntries = Math.min(maxEntries * GROWTH, MANY_ENTRIES)
    const isLeft = taken.isMore || taken.kept > 0
    isMore = isLeft && taken.done + taken.quarantined > 0 && monotonicMs() < deadline
  }
  return report
}

function ingestEntry({ entry, place, shown }: TakenEntry): IngestEntry {
  return {
    ...entry,
    content: unwrapReminder(entry.content),
    ...(place !== undefined && { place }),
    ...(shown && { shown }),
  }
}

function verdictOn({ outcome, reason = 'it was refused' }: Ingested): Verdict {
  if (outcome === 'refused') return { fault: reason }
  return outcome === 'full' ? 'kept' : 'done'
}

export interface ReadSpool extends SpoolRef {
  readonly agent: string
  readonly maxMessages?: number
  readonly maxCharacters?: number
  readonly maxTokens?: number
  readonly maxPriority?: Priority
}

/** What a spool holds, as a drain would show it, and the names under which it is remembered. */
export interface SpoolCopies extends Pick<Drained, 'messages' | 'remaining'> {
  readonly names: readonly string[]
}

/** As long as an offer that was not printed. */
const LEASE_MS = DEFAULT_LIMITS.unprintedOfferMs

/**
 * Takes entries straight from the spool, for when the store cannot be reached. Nobody else takes them meanwhile. Once
 * they are printed, `rememberShown` must be called: what is not remembered is shown again. Throws SpoolError.
 */
export async function readSpoolWithoutStore(input: ReadSpool): Promise<SpoolCopies> {
  const { agent, sessionId, root, patienceMs = PATIENCE_MS, maxPriority = 4 } = input
  const { maxMessages = DEFAULT_LIMITS.drainMessages } = input
  const now = Date.now()
  let shown: readonly ShownCopy[] = []
  let waiting = 0
  const choose = async (copies: readonly SpoolCopy[]) => {
    const messages = copies
      .map((copy, at) => ({ copy, message: messageOf(copy, { agent, now, place: at + 1 }) }))
      .filter(({ message }) => isDue(message, now))
    waiting = messages.length
    const due = messages.filter(({ message }) => message.priority <= maxPriority)
    const copyOf = new Map(due.map(({ copy, message }) => [message, copy]))
    const candidates = candidatesAmong([...copyOf.keys()], maxMessages)
    const chosen = await chooseInSlices(MEASURES, candidates, {
      maxMessages,
      maxCharacters: input.maxCharacters ?? Number.POSITIVE_INFINITY,
      maxTokens: input.maxTokens ?? Number.POSITIVE_INFINITY,
    })
    shown = chosen.flatMap(({ message, form }) => {
      const copy = copyOf.get(message)
      return copy ? [{ copy, message: { ...message, form, state: 'offered' as const } }] : []
    })
    return shown.map(({ copy }) => copy)
  }
  const leased = await offerCopies({ path: spoolPath(root, sessionId), patienceMs, now, leaseMs: LEASE_MS, choose })
  const messages = leased.length === 0 ? [] : shown.map(({ message }) => message)
  return { messages, remaining: waiting - messages.length, names: leased.map(({ name }) => name) }
}

interface ShownCopy {
  readonly copy: SpoolCopy
  readonly message: ShownMessage
}

const MEASURES: Parameters<typeof chooseInSlices>[0] = {
  measure,
  mayFit,
  frame: frameSize,
  timers: {
    after(ms, call) {
      const timer = setTimeout(call, ms)
      return () => clearTimeout(timer)
    },
  },
}

/** The messages among which a drain would choose: those that are due first, some critical ones, and the oldest. */
function candidatesAmong(due: readonly InboxMessage[], maxMessages: number): readonly InboxMessage[] {
  const [oldest] = due
  const inOrder = due.toSorted((a, b) => a.priority - b.priority || a.inboxSeq - b.inboxSeq)
  return inOrder.filter((message, at) => {
    const most = message.priority === CRITICAL ? maxMessages + CRITICAL_LIMIT : maxMessages
    return at < most || message === oldest
  })
}

/** Says that copies were printed: they are not shown again, and stored as seen when the store is back. */
export function rememberShown({
  sessionId,
  root,
  patienceMs = PATIENCE_MS,
  names,
  evidence,
}: SpoolRef & { readonly names: readonly string[]; readonly evidence: string }): Promise<void> {
  return rememberCopies({ path: spoolPath(root, sessionId), patienceMs, names, at: Date.now(), evidence })
}

/** What could not be stored either is not shown: too long, or empty once the tag around it is off. */
function isDue({ content, expiresAt }: InboxMessage, now: number): boolean {
  const isSound = content.trim() !== '' && Buffer.byteLength(content) <= DEFAULT_LIMITS.contentBytes
  return isSound && (expiresAt === null || expiresAt > now)
}

/** A message as it would be stored, under an id that says where it comes from. */
function messageOf(
  { entry, name, attempt }: SpoolCopy,
  { agent, now, place }: { readonly agent: string; readonly now: number; readonly place: number },
): InboxMessage {
  const id = /^msg_[0-9A-Z]{26}$/.test(entry.id ?? '') ? (entry.id ?? '') : `spool-${sha256(name).slice(0, 12)}`
  const createdAt = Math.min(entry.writtenAt ?? now, now)
  return {
    id,
    type: entry.type ?? 'event',
    from: senderOf(entry.source),
    to: [agent],
    subject: null,
    content: unwrapReminder(entry.content),
    payload: null,
    context: null,
    priority: entry.priority,
    ref: null,
    replyTo: null,
    threadId: id,
    hops: 0,
    dedupKey: entry.dedupKey ?? null,
    attachments: [],
    trace: null,
    createdAt,
    expiresAt: entry.ttlMs === undefined ? null : createdAt + entry.ttlMs,
    agent,
    state: 'pending',
    attempt,
    inboxSeq: place,
  }
}

const HOUR_MS = 60 * 60 * 1_000

/** What a person should know of a project's spools: lines that nobody could be shown, and entries that nobody takes. */
export function inspectSpools(root: string, now: number): HealthCheck[] {
  const bad = filesIn(quarantineFolder(root))
  const left = filesIn(spoolFolder(root)).filter(({ size, changedAt }) => size > 0 && now - changedAt > HOUR_MS)
  const sessions = left.flatMap(({ name }) => sessionOf(name) ?? [])
  if (bad.length === 0 && sessions.length === 0) return []
  return [
    {
      name: 'spool.quarantine',
      ok: bad.length === 0,
      level: 'warning',
      detail: bad.length === 0 ? 'no bad lines' : `bad lines of ${bad.length} spools in ${quarantineFolder(root)}`,
      next: 'Look at them, fix the program that writes them, and delete the files.',
    },
    {
      name: 'spool.waiting',
      ok: sessions.length === 0,
      level: 'warning',
      detail: sessions.length === 0 ? 'nothing is left' : `nobody has taken what waits for ${sessions.join(', ')}`,
      next: 'Take it with "postern inbox drain --session <id> --agent <agent>".',
    },
  ]
}

function filesIn(folder: string): { readonly name: string; readonly size: number; readonly changedAt: number }[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false })
      return stat?.isFile() ? [{ name, size: stat.size, changedAt: stat.mtimeMs }] : []
    })
  } catch {
    return []
  }
}
