import { type Caller, SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Message, Quote, Sender } from '../../model/message.ts'
import type { Priority } from '../../model/priority.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

/**
 * A message about something that happened, from the caller that caused it. It is sent once per key. Subject, content and
 * payload hold ids, Postern's own words and those of `from`. The words of anybody else are in `quotes`.
 */
export interface Notice {
  readonly from: Caller
  readonly type: string
  readonly to: readonly string[]
  readonly dedupKey: string
  readonly subject: string
  readonly content: string
  readonly quotes?: readonly Quote[]
  readonly payload?: Json
  readonly priority?: Priority
  readonly ref?: string
  readonly cause?: Cause | undefined
  /**
   * The change makes an agent wait for an answer of the recipients. If the notice would be held for all of them, the change
   * is refused: the agent would wait for people who have not heard of it.
   */
  readonly asks?: boolean
}

/**
 * Who made a notice necessary. A program or an outsider pays for it like for a message, from its rate towards each
 * recipient. People, unnamed callers and Postern itself do not pay.
 */
export type Cause = Pick<Sender, 'id' | 'kind'>

const UNPAID: readonly string[] = ['human', 'local', 'system', 'unknown']

const HIGH = 1

/**
 * Stores a notice in the transaction of the change that it reports. It skips removed agents. It is held for recipients
 * whose inboxes are full, and for those towards whom its cause has spent its rate. A notice that nobody pays for is held
 * for no one. Returns whom to ring after the commit.
 */
export async function pushNotice(ctx: Context, tx: Shelves, notice: Notice): Promise<readonly string[]> {
  const to: string[] = []
  for (const id of [...new Set(notice.to)].sort()) {
    const agent = await tx.agents.get(id)
    if (agent?.removedAt === null) to.push(id)
  }
  if (to.length === 0) return []
  const message = noticeMessage(ctx, { ...notice, to })
  const reasons = await heldFor(ctx, tx, message, notice.cause)
  const held = [...reasons.keys()]
  if (notice.asks && held.length === to.length) throw await refusal(ctx, tx, to)
  const [stored] = await tx.messages.push({ items: [{ message, held }], pendingLimit: Number.MAX_SAFE_INTEGER })
  if (held.length === 0 || !stored || !notice.cause) return to
  const told: string[] = []
  for (const reason of new Set(reasons.values())) {
    const agents = held.filter((agent) => reasons.get(agent) === reason)
    const step = {
      id: stored.id,
      step: 'held',
      at: message.createdAt,
      by: 'system',
      evidence: EVIDENCE[reason],
    } as const
    await tx.deliveries.record({ ...step, agents })
    const { id: from } = notice.cause
    told.push(...(await tellPeople(ctx, tx, reason === 'rate' ? heldNotice(ctx, from) : fullNotice(ctx, from))))
  }
  return [...to.filter((agent) => !held.includes(agent)), ...told]
}

/** Why a notice is held: its cause has spent its rate towards the recipient, or the inbox of the recipient is full. */
type HeldReason = 'rate' | 'full'

const EVIDENCE: Readonly<Record<HeldReason, string>> = {
  rate: 'it would have been a notice too many',
  full: 'the inbox is full',
}

/** The recipients for whom a notice is held, and why. A repeated notice is stored once, so it costs once. */
async function heldFor(
  ctx: Context,
  tx: Shelves,
  { to, dedupKey }: Message,
  cause: Cause | undefined,
): Promise<ReadonlyMap<string, HeldReason>> {
  const held = new Map<string, HeldReason>()
  if (!cause || UNPAID.includes(cause.kind)) return held
  const known = await tx.deliveries.withKey({ agents: to, dedupKey: dedupKey ?? '' })
  for (const agent of to) {
    const reason = known.includes(agent) ? undefined : await pay(ctx, tx, cause, agent)
    if (reason) held.set(agent, reason)
  }
  return held
}

/** Pays for a notice to one recipient. Returns why it is held; undefined if it is paid. */
async function pay(
  { limits, store }: Context,
  tx: Shelves,
  { id: from }: Cause,
  to: string,
): Promise<HeldReason | undefined> {
  const { pendingPerAgent, pairBurst: burst, pairPerMinute: perMinute } = limits
  const now = store.now()
  if (!(await tx.budgets.take({ from, to, now, burst, perMinute }))) return 'rate'
  const pending = await tx.deliveries.countPending({ agent: to, now, upTo: pendingPerAgent })
  return pending < pendingPerAgent ? undefined : 'full'
}

/** Says why no recipient of a question can be told of it now. */
async function refusal({ limits, store }: Context, tx: Shelves, to: readonly string[]): Promise<PosternError> {
  const { pendingPerAgent: limit, pairPerMinute } = limits
  for (const agent of to) {
    const waiting = await tx.deliveries.countPending({ agent, now: store.now(), upTo: limit })
    if (waiting < limit)
      return new PosternError('RATE_LIMITED', { seconds: Math.ceil(60 / Math.max(1, pairPerMinute)) })
  }
  return new PosternError('INBOX_FULL', { agent: to.join(', '), limit })
}

function noticeMessage(ctx: Context, notice: Notice): Message {
  const id = ctx.newId('msg')
  return {
    id,
    type: notice.type,
    from: { id: notice.from.id, ...trustOf(notice.from) },
    to: notice.to,
    subject: notice.subject,
    content: notice.content,
    ...(notice.quotes && { quotes: notice.quotes }),
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

/** Only Postern uses dedup keys with this prefix, so no sender can take the key of a notice before it is sent. */
export const NOTICE_KEYS = 'postern:'

/** Something that a person should know. It is sent once per key, so one key must always mean the same text. */
export interface PeopleNotice extends Pick<Notice, 'subject' | 'content' | 'quotes' | 'cause' | 'asks'> {
  readonly key: string
}

/**
 * Notifies the responsible people in the same transaction. If nobody is registered, `doctor` shows the matter itself.
 * Returns whom to ring after the commit. A person who is being removed gets no notice.
 */
export async function tellPeople(
  ctx: Context,
  tx: Shelves,
  { key, ...notice }: PeopleNotice,
  leaving?: string,
): Promise<readonly string[]> {
  const to = await responsiblePeople(tx, leaving)
  return pushNotice(ctx, tx, { ...notice, from: SYSTEM_CALLER, type: 'system', to, dedupKey: `${NOTICE_KEYS}${key}` })
}

/** The owners; if there is none, every person. One who is being removed does not count. */
export async function responsiblePeople(tx: Shelves, leaving?: string): Promise<readonly string[]> {
  const agents = await tx.agents.list({ removed: false })
  const humans = agents.filter((agent) => agent.kind === 'human' && agent.id !== leaving)
  const owners = humans.filter((agent) => agent.isOwner)
  return (owners.length > 0 ? owners : humans).map((agent) => agent.id)
}

/**
 * Tells people that messages or notices of a sender are held, at most once an hour. It names no recipient, so a sender
 * that writes to many agents cannot fill the inboxes of people with such notices.
 */
export function heldNotice(ctx: Context, from: string): PeopleNotice {
  return {
    key: `held:rate:${from}:${hourOf(ctx)}`,
    subject: `${from} writes too often`,
    content: `Messages and notices of ${from} beyond the allowed rate are held. See them with "postern inbox held list"; let one go with "postern inbox held release <id>".`,
  }
}

/** Tells people that notices are held because inboxes are full, at most once an hour for each cause. */
function fullNotice(ctx: Context, from: string): PeopleNotice {
  return {
    key: `held:full:${from}:${hourOf(ctx)}`,
    subject: 'Notices are held because an inbox is full',
    content: `Notices about what ${from} does are held, because the inbox of a recipient is full. See them with "postern inbox held list"; let one go with "postern inbox held release <id>".`,
  }
}

const HOUR_MS = 3_600_000

/** Part of the key of a notice that is due again as long as its matter goes on. */
export function hourOf({ store }: Context): number {
  return Math.floor(store.now() / HOUR_MS)
}

const PLAIN_ID = /^[\w.:-]{1,100}$/

/** Names a session in a notice. Hosts choose the ids of sessions, and one that is no plain id could say anything. */
export function inSession(id: string): string {
  return PLAIN_ID.test(id) ? ` in session ${id}` : ''
}
