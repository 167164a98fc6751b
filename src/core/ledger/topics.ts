import { parseAgentId } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { LedgerEntry } from '../../model/ledger/entry.ts'
import type {
  CreatedTopic,
  LedgerDesk,
  ReadTopic,
  TopicPage,
  Verified,
  VerifyMark,
} from '../../model/ledger/ledgers.ts'
import { isLedgerId, type LedgerTopic, TOPIC_ROLES, type TopicRole } from '../../model/ledger/topic.ts'
import { parseWorkEntry } from '../../model/ledger/work-entry.ts'
import type { Context, Ledgers } from '../context.ts'
import { textOf } from './intake/assemble.ts'
import { publish } from './publish.ts'
import { labelOf } from './status.ts'
import { keptBody } from './work/hashed-body.ts'
import { findWork, workPublication } from './work/items.ts'

const DEFAULT_LIMIT = 50
/** Verifying this many entries takes well under a second. */
const DEFAULT_WALK = 50_000
const MAX_WALK = 1_000_000

export async function listTopics(
  ctx: Context,
  input: { readonly role?: string; readonly agent?: string },
): Promise<readonly LedgerTopic[]> {
  const { ledger } = await ctx.ledger()
  return ctx.store.read.ledger.listTopics({
    network: ledger.network,
    ...(input.role !== undefined && { role: parseRole(input.role) }),
    ...(input.agent !== undefined && { agent: parseAgentId(input.agent) }),
  })
}

function parseRole(role: string): TopicRole {
  const known = TOPIC_ROLES.find((each) => each === role)
  if (known) return known
  throw new PosternError('VALUE_INVALID', { field: 'role', value: role, next: `Use one of ${TOPIC_ROLES.join(', ')}.` })
}

/** The topic of a work item, made if there is none. */
export async function createWorkTopic(ctx: Context, { entity }: { readonly entity: string }): Promise<CreatedTopic> {
  const ledgers = await ctx.ledger()
  return ctx.store.transact(
    async (tx) => {
      const ltx = { ctx, ledgers, tx }
      const work = await findWork(ledgers, tx, entity)
      const publication = await workPublication(ltx, work)
      const id = publication && (await publish(ltx, publication)).topics.work
      const topic = id === undefined ? work.topic : await tx.ledger.getTopic({ id })
      return { ledger: labelOf(ledgers.ledger), entity: work.entity, topic: topic ?? null, isNew: !!publication }
    },
    { answers: ['ledger.createTopic'] },
  )
}

/** The entries of a topic, oldest first. */
export async function readTopic(ctx: Context, input: ReadTopic): Promise<TopicPage> {
  const after = parseAfter(input.after)
  const limit = parsePageSize(input.limit, DEFAULT_LIMIT)
  const ledgers = await ctx.ledger()
  const topic = await requireTopic(ctx, ledgers, input.topic)
  requireReadable(ctx, topic)
  const entries = await ctx.store.read.ledger.entriesAfter({ topicId: topic.id, after, limit })
  const last = entries.at(-1)?.sequence
  return {
    ledger: labelOf(ledgers.ledger),
    topic,
    entries: await Promise.all(entries.map((entry) => readable(ctx, topic, entry))),
    next: last !== undefined && last < topic.sequence ? last : null,
  }
}

/** Everybody here reads what stands on work items, so also what only its hash says. */
async function readable(
  ctx: Context,
  { role }: LedgerTopic,
  entry: LedgerEntry,
): Promise<TopicPage['entries'][number]> {
  const text = textOf(entry)
  const written = role === 'work' && text !== null ? parseWorkEntry(text) : undefined
  return { ...entry, text, body: (await keptBody(ctx.store.read, written, text ?? '')) ?? null }
}

/** Walks what is held of a topic. It shows nothing of what stands there, so everybody here may ask for it. */
export async function verifyTopic(ctx: Context, input: Parameters<LedgerDesk['verify']>[0]): Promise<Verified> {
  const limit = parsePageSize(input.limit, DEFAULT_WALK, MAX_WALK)
  const after = input.after === undefined ? undefined : parseMark(input.after)
  const ledgers = await ctx.ledger()
  const { id } = await requireTopic(ctx, ledgers, input.topic)
  const walk = await ledgers.codec.verifyTopic({ shelf: ctx.store.read.ledger, topicId: id, after, limit })
  if (!walk) throw notFound(ledgers, input.topic)
  return { ledger: labelOf(ledgers.ledger), topic: id, ...walk }
}

function parseMark({ sequence, runningHash }: VerifyMark): VerifyMark {
  if (typeof runningHash === 'string' && /^[0-9a-f]{96}$/.test(runningHash)) {
    return { sequence: parseAfter(sequence), runningHash }
  }
  throw new PosternError('VALUE_INVALID', {
    field: 'running hash',
    value: runningHash,
    next: 'Use the mark of an earlier walk as it is.',
  })
}

/** By its id, or by the work item whose topic it is. */
async function requireTopic(ctx: Context, ledgers: Ledgers, meant: string): Promise<LedgerTopic> {
  const { read } = ctx.store
  const topic = isLedgerId(meant)
    ? await read.ledger.getTopic({ id: meant })
    : (await findWork(ledgers, read, requireItem(meant))).topic
  if (topic?.network === ledgers.ledger.network) return topic
  throw notFound(ledgers, meant)
}

function requireItem(meant: string): string {
  if (meant.includes(':')) return meant
  throw new PosternError('LEDGER_ID_INVALID', { value: meant })
}

function notFound({ ledger: { network } }: Ledgers, topic: string): PosternError {
  return new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic, network })
}

const OPEN_ROLES: readonly TopicRole[] = ['work', 'definitions']

/** An agent's topics hold what it was sent. So a program reads only its own topics, and those that belong to everybody. */
function requireReadable(ctx: Context, { id, role, agent }: LedgerTopic): void {
  if (!isConfined(ctx.caller) || OPEN_ROLES.includes(role) || agent === ctx.caller.id) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${ctx.caller.id} cannot read the topic ${id}, which belongs to ${agent ?? 'somebody else'}.`,
    next: 'Let its agent read it, or a person.',
  })
}

const MAX_LIMIT = 1_000

/** The sequence number after which a page begins. */
export function parseAfter(after: number | undefined): number {
  if (after === undefined) return 0
  if (Number.isSafeInteger(after) && after >= 0) return after
  throw new PosternError('VALUE_INVALID', { field: 'after', value: after, next: 'Use a sequence number.' })
}

export function parsePageSize(limit: number | undefined, byDefault: number, max = MAX_LIMIT): number {
  const size = limit ?? byDefault
  if (Number.isSafeInteger(size) && size >= 1 && size <= max) return size
  throw new PosternError('VALUE_INVALID', {
    field: 'limit',
    value: limit,
    next: `Use a number from 1 to ${max}.`,
  })
}
