import type { Agent } from '../../../model/agent.ts'
import { PosternError } from '../../../model/errors.ts'
import type { Json } from '../../../model/json.ts'
import { ENTRY_BYTES, MAX_CHUNKS } from '../../../model/ledger/entry.ts'
import type { PostedNote, PublishMode } from '../../../model/ledger/ledgers.ts'
import { publishModeOf } from '../../../model/ledger/publish-mode.ts'
import { fromSeedPriority, type SeedPriority } from '../../../model/ledger/seed-priority.ts'
import { formatWorkEntry, type WorkEntry } from '../../../model/ledger/work-entry.ts'
import type { Message } from '../../../model/message.ts'
import type { PushResult } from '../../../model/postern.ts'
import { utf8Length } from '../../../model/text.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Context, LedgerTx } from '../../context.ts'
import { composeMessage } from '../../deliveries/compose.ts'
import { explainUnknown, ringFor } from '../../inbox/push.ts'
import { ensureIdentity, recallIdentities, writerOf } from '../identities/identity.ts'
import { deliverOrDefer } from '../messages/deliver.ts'
import { type EntryPlace, NOWHERE, type Publication, publishAll, requireNoSecret } from '../publish.ts'
import { labelOf } from '../status.ts'
import { formatHashed, keepBody } from './hashed-body.ts'
import { type FoundWork, findWork, workPublication } from './items.ts'

/** Something that is written about a work item, and the agents that are told of it. */
export interface Posting {
  /** The item or its topic. */
  readonly about: string
  readonly purpose: 'note' | 'event'
  readonly type: string
  /** Throws if that item is not meant. */
  readonly requireItem: (entity: string) => void
  readonly notify: readonly string[]
  readonly priority: SeedPriority
  readonly says: (entity: string) => { readonly subject: string; readonly content: string; readonly payload?: Json }
  /** Its entry under an id, which is that of the message too. */
  readonly entry: (id: string, ts: string) => WorkEntry
}

interface PostOutcome {
  readonly posted: Omit<PostedNote, 'ledger'>
  readonly result: PushResult | undefined
  readonly told: readonly string[]
}

/** Writes it on the topic of the item and tells each agent once: both or neither. */
export async function postOnWork(ctx: Context, posting: Posting): Promise<PostedNote> {
  const ledgers = await ctx.ledger()
  const agent = writerOf(ctx.caller)
  const mode = publishModeOf(ledgers.settings.publish, { type: posting.type, agent })
  await recallIdentities(ctx, ledgers, [agent])
  const { posted, result, told } = await explainUnknown(ctx, () =>
    ctx.store.transact((tx) => postWithin({ ctx, ledgers, tx }, posting, mode), {
      answers: ['notes.post', 'ledger.emit'],
    }),
  )
  ringFor(ctx, result ? [result] : [], told)
  return { ledger: labelOf(ledgers.ledger), ...posted }
}

async function postWithin(ltx: LedgerTx, posting: Posting, mode: PublishMode): Promise<PostOutcome> {
  const { ctx, ledgers, tx } = ltx
  const work = await findWork(ledgers, tx, posting.about)
  posting.requireItem(work.entity)
  const { known, unknown } = await targetsOf(tx, posting.notify, ctx.caller.id)
  if (mode === 'off') requireReader(posting, known)
  const message = known.length === 0 ? undefined : composePosted(ctx, posting, work.entity, known)
  const placed = message && (await deliverOrDefer(ltx, message, mode))
  const place = mode === 'off' ? NOWHERE : await publishPosting(ltx, { posting, work, message, mode })
  return {
    posted: { entity: work.entity, publish: mode, ...place, notified: known, skipped: unknown },
    result: placed?.result,
    told: placed?.told ?? [],
  }
}

/** A note that is not published and has no reader would be lost. An event only repeats what is known elsewhere. */
function requireReader({ purpose, type }: Posting, known: readonly string[]): void {
  if (purpose !== 'note' || known.length > 0) return
  const next = `Nothing of the type ${type} is published here: name a registered agent to notify.`
  throw new PosternError('VALUE_INVALID', { field: 'number of those to notify', value: 0, next })
}

function composePosted(ctx: Context, posting: Posting, entity: string, to: readonly string[]): Message {
  const { type, purpose, priority } = posting
  const said = posting.says(entity)
  const message = composeMessage(ctx, { ...said, to, type, ref: entity, priority: fromSeedPriority(priority) })
  return { ...message, dedupKey: `${purpose}:${message.id}` }
}

interface PublishedPosting {
  readonly posting: Posting
  readonly work: FoundWork
  readonly message: Message | undefined
  readonly mode: PublishMode
}

/** The topic of the item, if it has none yet, and the entry on it. */
async function publishPosting(ltx: LedgerTx, published: PublishedPosting): Promise<EntryPlace> {
  const { work } = published
  const topic = await workPublication(ltx, work)
  const entry = await postingPublication(ltx, published)
  const outcomes = await publishAll(ltx, topic ? [topic, entry] : [entry])
  const { sequence = null, parcel = null } = outcomes.at(-1) ?? {}
  return { topic_id: work.topic?.id ?? outcomes[0]?.topics.work ?? null, sequence, parcel }
}

async function postingPublication(
  ltx: LedgerTx,
  { posting, work: { entity, topic }, message, mode }: PublishedPosting,
): Promise<Publication> {
  const { ctx, ledgers } = ltx
  const from = await ensureIdentity(ltx, writerOf(ctx.caller))
  const ts = new Date(message?.createdAt ?? ctx.store.now()).toISOString()
  const entry = posting.entry(message?.id ?? ctx.newId('msg'), ts)
  const text = requireRoom(mode === 'full' ? formatWorkEntry(entry) : formatHashed(ledgers, entry))
  if (mode === 'hash') await keepBody(ltx, entry)
  requireNoSecret(ledgers, mode, text)
  return {
    purpose: posting.purpose,
    about: entity,
    lane: entity,
    payer: from.account,
    message: message ?? null,
    async write(entryWriter) {
      const topicId = topic?.id ?? (await entryWriter.topicOfItem(entity))
      await entryWriter.submit({ topicId, text, mayChunk: true })
    },
  }
}

function requireRoom(text: string): string {
  const bytes = utf8Length(text)
  const limit = ENTRY_BYTES * MAX_CHUNKS
  if (bytes > limit) throw new PosternError('LEDGER_MESSAGE_TOO_LARGE', { bytes, limit })
  return text
}

export interface Targets {
  /** Registered, without repetition and in ascending order. */
  readonly known: readonly string[]
  readonly unknown: readonly string[]
}

/** Divides names into agents that are registered and others. The speaker is left out: it knows what it says. */
export async function targetsOf(shelves: Shelves, names: readonly string[], speaker: string): Promise<Targets> {
  const known: string[] = []
  const unknown: string[] = []
  for (const name of [...new Set(names)].sort()) {
    if (name === speaker) continue
    const agent: Agent | undefined = await shelves.agents.get(name)
    if (agent?.removedAt === null) known.push(name)
    else unknown.push(name)
  }
  return { known, unknown }
}
