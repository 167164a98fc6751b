import type { Json } from '../json.ts'
import { isMessageType } from '../message.ts'
import { canonicalJson, type JsonFields, parseFields, textOf } from './json-fields.ts'
import { SEED_NORMAL, type SeedPriority } from './seed-priority.ts'
import { REF_TYPES, type RefType } from './work-item.ts'

/** What the `data` of a message says about it in any case, with the seed's names. */
export interface MessageHead {
  readonly message_type: string
  readonly subject: string
  readonly priority: SeedPriority
  /** Made by the sender: joins the entry with the message that was pushed at once. The seed's own form has none. */
  readonly message_id: string | null
  /** ISO 8601, as the sender says. */
  readonly ts: string | null
}

/** What is published only in mode `full`; in mode `hash` only its hash is. */
export interface MessageBody {
  readonly payload: Json | null
  readonly context: Json | null
  readonly ref_id: string | null
  readonly ref_type: RefType | null
}

export type FullMessage = MessageHead & MessageBody
export type HashedMessage = MessageHead & {
  /** Of the canonical body, in hex. */
  readonly sha256: string
}

export type MessageData = ({ readonly mode: 'full' } & FullMessage) | ({ readonly mode: 'hash' } & HashedMessage)

const NOT_PUBLISHED = 'not published'
/** Wide enough for whatever a configuration allows our own; whoever stores it has bounds of its own. */
const SUBJECT_LENGTH = 16 * 1024
const REF_LENGTH = 300
const TIME_LENGTH = 40

/** The whole message, as `data` of an HCS-10 message carries it. */
export function formatMessageData(message: FullMessage): string {
  const { payload, context, ref_id, ref_type } = message
  return JSON.stringify(withoutNulls({ ...headOf(message), payload, context, ref_id, ref_type }))
}

/** `sha256` is that of `canonicalBody`. Whoever it is for has the content from elsewhere, and the hash says that it is the same. */
export function formatHashedData(message: FullMessage, sha256: string): string {
  return JSON.stringify(withoutNulls({ ...headOf(message), sha256, body: NOT_PUBLISHED }))
}

/** The text whose hash stands for the body. */
export function canonicalBody({ payload, context, ref_id, ref_type }: MessageBody): string {
  return canonicalJson({ payload, context, ref_id, ref_type })
}

/** Reads either form, the seed's too. Undefined where `data` is something else, such as plain text. */
export function parseMessageData(data: string): MessageData | undefined {
  const fields = parseFields(data)
  const head = fields && parseHead(fields)
  if (!fields || !head) return undefined
  const { sha256 } = fields
  if (fields['body'] === NOT_PUBLISHED && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256))
    return { mode: 'hash', ...head, sha256 }
  return {
    mode: 'full',
    ...head,
    payload: fields['payload'] ?? null,
    context: fields['context'] ?? null,
    ref_id: textOf(fields['ref_id'], REF_LENGTH),
    ref_type: refTypeOf(fields['ref_type']),
  }
}

function parseHead(fields: JsonFields): MessageHead | undefined {
  const type = fields['message_type']
  const subject = textOf(fields['subject'], SUBJECT_LENGTH)
  if (!isMessageType(type) || subject === null) return undefined
  return {
    message_type: type,
    subject,
    priority: seedPriorityOf(fields['priority']),
    message_id: messageIdOf(fields['message_id']),
    ts: textOf(fields['ts'], TIME_LENGTH),
  }
}

function headOf({ message_type, subject, priority, message_id, ts }: MessageHead): MessageHead {
  return { message_type, subject, priority, message_id, ts }
}

function withoutNulls(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function messageIdOf(value: Json | undefined): string | null {
  return typeof value === 'string' && /^msg_[0-9A-Z]{26}$/.test(value) ? value : null
}

function refTypeOf(value: Json | undefined): RefType | null {
  return REF_TYPES.find((type) => type === value) ?? null
}

/** What an outsider writes as a priority decides nothing worse than the usual. */
export function seedPriorityOf(value: Json | undefined): SeedPriority {
  return value === 1 || value === 2 || value === 4 || value === 5 ? value : SEED_NORMAL
}
