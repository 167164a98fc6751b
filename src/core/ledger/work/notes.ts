import { parseAgentId } from '../../../model/agent.ts'
import { PosternError } from '../../../model/errors.ts'
import type { ListNotes, Note, NotePage, PostedNote, PostNote } from '../../../model/ledger/ledgers.ts'
import { parseSeedPriority, SEED_NORMAL } from '../../../model/ledger/seed-priority.ts'
import { isLedgerId, type LedgerTopic } from '../../../model/ledger/topic.ts'
import { MAX_NOTIFY, type NoteType, parseWorkEntry } from '../../../model/ledger/work-entry.ts'
import { ENTITY_TYPES, type EntityType, isEntityType } from '../../../model/ledger/work-item.ts'
import { parseText } from '../../../model/text.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Context, Ledgers } from '../../context.ts'
import { writerOf } from '../identities/identity.ts'
import { assemble, type KnownParts, type WholeMessage } from '../intake/assemble.ts'
import { labelOf } from '../status.ts'
import { parseAfter, parsePageSize } from '../topics.ts'
import { withBody } from './hashed-body.ts'
import { findWork } from './items.ts'
import { postOnWork } from './post.ts'

const DEFAULT_LIMIT = 50
/** Entries that are looked at in one call at most, however few of them are notes. */
const MAX_LOOKED_AT = 2_000

/** Writes a note on the topic of a work item, which gets one if it has none, and tells those whom it names. */
export async function postNote(ctx: Context, input: PostNote): Promise<PostedNote> {
  const about = meantBy(input)
  const note = parseText('note', input.note, ctx.limits.contentBytes)
  if (note.trim() === '') throw new PosternError('CONTENT_EMPTY')
  const notify = parseNotify(input.notify ?? [])
  const priority = parseSeedPriority(input.priority ?? SEED_NORMAL)
  const type: NoteType = `${input.entity_type}.note`
  const ledgers = await ctx.ledger()
  return postOnWork(ctx, {
    about,
    purpose: 'note',
    type,
    requireItem: (entity) => requireType(ledgers, entity, input),
    notify,
    priority,
    says: (entity) => ({ subject: `${type}: ${entity}`, content: note, payload: { note } }),
    entry: (note_id, ts) => ({
      kind: 'note',
      type,
      from_agent: writerOf(ctx.caller),
      note,
      notify,
      priority,
      note_id,
      ts,
    }),
  })
}

/** The topic itself, or `task:PROJ-12`. */
function meantBy({ entity_id: id, entity_type: type }: Pick<PostNote, 'entity_id' | 'entity_type'>): string {
  if (!isEntityType(type)) {
    throw new PosternError('VALUE_INVALID', {
      field: 'entity_type',
      value: type,
      next: `Use one of ${ENTITY_TYPES.join(', ')}.`,
    })
  }
  return isLedgerId(id) ? id : `${type}:${id}`
}

/** Refuses an item of another type than the caller has named. */
function requireType(
  { ledger: { network } }: Ledgers,
  entity: string,
  { entity_type: type, entity_id: id }: { readonly entity_type: EntityType; readonly entity_id: string },
): void {
  if (!entity.startsWith(`${type}:`))
    throw new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic: `${type} ${id}`, network })
}

function parseNotify(notify: readonly string[]): readonly string[] {
  if (notify.length > MAX_NOTIFY) {
    throw new PosternError('VALUE_INVALID', {
      field: 'number of those to notify',
      value: notify.length,
      next: `Name at most ${MAX_NOTIFY}.`,
    })
  }
  return [...new Set(notify.map(parseAgentId))]
}

/** Oldest first. A long note has the sequence number of the last of its parts. */
export async function listNotes(ctx: Context, input: ListNotes): Promise<NotePage> {
  const about = meantBy(input)
  const after = parseAfter(input.after)
  const limit = parsePageSize(input.limit, DEFAULT_LIMIT)
  const ledgers = await ctx.ledger()
  const { entity, topic } = await findWork(ledgers, ctx.store.read, about)
  requireType(ledgers, entity, input)
  const ledger = labelOf(ledgers.ledger)
  if (!topic) return { ledger, topic_id: null, notes: [], next: null }
  return { ledger, topic_id: topic.id, ...(await notesAfter(ctx, ledgers, topic, { after, limit })) }
}

async function notesAfter(
  ctx: Context,
  ledgers: Ledgers,
  topic: LedgerTopic,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Pick<NotePage, 'notes' | 'next'>> {
  const { read } = ctx.store
  const accounts = await accountsOf(ctx, ledgers)
  const entries = await read.ledger.entriesAfter({ topicId: topic.id, after, limit: MAX_LOOKED_AT })
  const known: KnownParts = new Map()
  const notes: Note[] = []
  for (const entry of entries) {
    const assembled = await assemble(read, topic, entry, known)
    const note = 'whole' in assembled ? await noteOf(read, assembled.whole, accounts) : undefined
    if (note) notes.push(note)
    if (notes.length === limit && entry.sequence < topic.sequence) return { notes, next: entry.sequence }
  }
  const last = entries.at(-1)?.sequence ?? after
  return { notes, next: entries.length === MAX_LOOKED_AT && last < topic.sequence ? last : null }
}

async function accountsOf(ctx: Context, { ledger: { network } }: Ledgers): Promise<ReadonlyMap<string, string>> {
  const identities = await ctx.store.read.ledger.identities({ network })
  return new Map(identities.map(({ agent, account }) => [agent, account]))
}

async function noteOf(
  shelves: Shelves,
  { text, sequence, consensusAt, payer }: WholeMessage,
  accounts: ReadonlyMap<string, string>,
): Promise<Note | undefined> {
  const written = text === null ? undefined : parseWorkEntry(text)
  if (text === null || written?.kind !== 'note') return undefined
  const verified = accounts.get(written.from_agent) === payer
  const entry = verified ? await withBody(shelves, written, text) : written
  if (entry.kind !== 'note') return undefined
  const { type, from_agent, note, notify } = entry
  return { sequence, consensus_at: consensusAt, type, from_agent, verified, payer, note, notify }
}
