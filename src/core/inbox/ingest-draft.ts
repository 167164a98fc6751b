import { formatDuration } from '../../kit/pure/duration.ts'
import { PosternError } from '../../model/errors.ts'
import type { IngestEntry } from '../../model/ingest.ts'
import type { Json } from '../../model/json.ts'
import type { Message, Sender } from '../../model/message.ts'
import { parseText } from '../../model/text.ts'
import type { Context } from '../context.ts'
import { composeMessage, RESERVED_KEY } from '../deliveries/compose.ts'
import { NOTICE_KEYS } from '../notices/notice.ts'

/** An entry as the message it would become, and how the agent may know it already. */
export interface EntryDraft {
  readonly message: Message
  readonly keys: readonly string[]
  /** Ids of messages of which it may be a copy. */
  readonly ids: readonly string[]
  readonly shown?: NonNullable<IngestEntry['shown']>
}

const NAME_BYTES = 300
const EVIDENCE_BYTES = 1_000
const LATE_MS = 60_000

/** Checks an entry by the same limits as a push. Throws what a push would. */
export function draftEntry(ctx: Context, agent: string, entry: IngestEntry): EntryDraft {
  const { content, type = 'event', subject, payload, priority, source, dedupKey, id, place, shown } = entry
  for (const [field, name] of Object.entries({ 'dedup key': dedupKey, id, place })) {
    if (name !== undefined) parseText(field, name, NAME_BYTES)
  }
  if (shown) parseText('evidence', shown.evidence, EVIDENCE_BYTES)
  const said = { content, type, ...(subject !== undefined && { subject }), ...(payload !== undefined && { payload }) }
  const push = { to: [agent], ...said, ...(priority !== undefined && { priority }) }
  const message = composeMessage(ctx, push)
  const keys = keysOf(entry)
  return {
    message: {
      ...message,
      from: senderOf(source, entry.via),
      context: writtenContext(entry, message.createdAt),
      dedupKey: keys.at(-1) ?? null,
      expiresAt: expiryOf(ctx, entry, message.createdAt),
    },
    keys,
    ids: idsOf(entry),
    ...(shown && { shown }),
  }
}

/**
 * Whoever can write the file, or push to the list, can write any name into it. So the name stands behind a word that no
 * id of an agent, a person or the system can contain, and nothing but what names are made of is left of it.
 */
export function senderOf(source: string | undefined, via: 'spool' | 'redis' = 'spool'): Sender {
  const name = [...(source ?? '').toWellFormed().replace(/[^\p{L}\p{N}._@/#+-]+/gu, '-')]
    .slice(0, NAME_CHARACTERS)
    .join('')
  const trimmed = name.replace(/^-+|-+$/g, '')
  return { id: `${via}:${trimmed || 'unknown'}`, kind: 'local', verified: false, via }
}

const NAME_CHARACTERS = 60

/**
 * The keys under which the agent may have it, and last the one under which it is stored. That is never the key of a
 * notice of ours: an entry that claims one could stand in the way of the notice itself.
 */
function keysOf({ dedupKey, id, place, via }: IngestEntry): readonly string[] {
  const own = `${NOTICE_KEYS}${via ?? 'spool'}:`
  const byId = id === undefined ? [] : [`${own}id:${id}`]
  if (dedupKey === undefined) return byId.length > 0 || place === undefined ? byId : [`${own}place:${place}`]
  return RESERVED_KEY.test(dedupKey) ? [dedupKey, ...byId, `${own}key:${dedupKey}`] : [...byId, dedupKey]
}

const MESSAGE_ID = /^msg_[0-9A-Z]{26}$/

/** Seed 000 also writes ids into the keys of mail and broadcasts. */
function idsOf({ id, dedupKey }: IngestEntry): readonly string[] {
  const inKey = /^(?:mail|broadcast):(.*)$/s.exec(dedupKey ?? '')?.[1]
  return [id, inKey].filter((each) => each !== undefined).filter((each) => MESSAGE_ID.test(each))
}

/** A time that a writer gives is believed only where it lies in the past. */
function writtenAt({ writtenAt: at }: IngestEntry, now: number): number {
  return at !== undefined && Number.isFinite(at) ? Math.min(Math.max(0, Math.round(at)), now) : now
}

function expiryOf(ctx: Context, entry: IngestEntry, now: number): number | null {
  const { ttlMs } = entry
  if (ttlMs === undefined) return null
  if (!(ttlMs > 0)) throw new PosternError('DURATION_INVALID', { value: formatDuration(ttlMs), limit: 'a year' })
  return writtenAt(entry, now) + Math.ceil(Math.min(ttlMs, ctx.limits.ttlMs))
}

/** A message is as old as its place in the inbox; where the entry is much older, its reader should know. */
function writtenContext(entry: IngestEntry, now: number): Json | null {
  const at = writtenAt(entry, now)
  return now - at > LATE_MS ? { writtenAt: new Date(at).toISOString() } : null
}
