import { PosternError } from '../../../model/errors.ts'
import type { Json } from '../../../model/json.ts'
import { isFields } from '../../../model/ledger/json-fields.ts'
import type { SendMessage } from '../../../model/ledger/ledgers.ts'
import type { FullMessage } from '../../../model/ledger/message-data.ts'
import {
  fromSeedPriority,
  parseSeedPriority,
  SEED_NORMAL,
  toSeedPriority,
} from '../../../model/ledger/seed-priority.ts'
import { REF_TYPES, type RefType } from '../../../model/ledger/work-item.ts'
import type { Message } from '../../../model/message.ts'
import type { Context } from '../../context.ts'
import { composeMessage } from '../../deliveries/compose.ts'

/** Turns what a caller sends into a message for one agent, or refuses it. */
export function composeSent(ctx: Context, input: SendMessage, to: string): Message {
  if (typeof input.subject !== 'string' || input.subject.trim() === '') {
    throw new PosternError('VALUE_INVALID', {
      field: 'subject',
      value: input.subject,
      next: 'Say in a few words what it is about.',
    })
  }
  const { payload, context, dedup_key: dedupKey } = input
  return composeMessage(ctx, {
    to: [to],
    type: input.message_type,
    subject: input.subject,
    content: contentOf(input.subject, payload ?? null),
    priority: fromSeedPriority(parseSeedPriority(input.priority ?? SEED_NORMAL)),
    ...(payload === undefined ? {} : { payload }),
    ...(context === undefined ? {} : { context }),
    ...refOf(input),
    ...(dedupKey === undefined ? {} : { dedupKey }),
  })
}

/** The text in the payload, or else the subject. Subject and payload are shown beside the content in any case. */
export function contentOf(subject: string, payload: Json | null): string {
  return wordsOf(payload) ?? subject
}

const WORDS = ['text', 'body', 'message'] as const

function wordsOf(payload: Json | null): string | undefined {
  const fields = isFields(payload) ? payload : {}
  const said = [payload, ...WORDS.map((name) => (Object.hasOwn(fields, name) ? fields[name] : null))]
  return said.find((value): value is string => typeof value === 'string' && value.trim() !== '')
}

function refOf({ ref_id: id, ref_type: type }: SendMessage): { readonly ref?: string } {
  if (type === undefined) return id === undefined ? {} : { ref: id }
  if (!isRefType(type)) {
    throw new PosternError('VALUE_INVALID', {
      field: 'ref_type',
      value: type,
      next: `Use one of ${REF_TYPES.join(', ')}.`,
    })
  }
  if (id !== undefined && id !== '') return { ref: `${type}:${id}` }
  throw new PosternError('VALUE_INVALID', { field: 'ref_id', value: id, next: `Say which ${type} is meant.` })
}

/** A message as its entry on a topic carries it. */
export function dataOf(message: Message): FullMessage {
  return {
    message_type: message.type,
    subject: message.subject ?? '',
    priority: toSeedPriority(message.priority),
    message_id: message.id,
    ts: new Date(message.createdAt).toISOString(),
    payload: message.payload,
    context: message.context,
    ...splitRef(message.ref),
  }
}

/** `task:PROJ-12` says of what kind it is; anything else is only a name. */
function splitRef(ref: string | null): Pick<FullMessage, 'ref_id' | 'ref_type'> {
  const [type, ...rest] = ref?.split(':') ?? []
  const id = rest.join(':')
  return isRefType(type) && id !== '' ? { ref_type: type, ref_id: id } : { ref_type: null, ref_id: ref }
}

function isRefType(value: unknown): value is RefType {
  return REF_TYPES.includes(value as RefType)
}

/** Whether its sender gave it a key, under which it may be sent again. Keys of our own end with the message's id. */
export function hasOwnKey({ id, dedupKey }: Pick<Message, 'id' | 'dedupKey'>): boolean {
  return dedupKey !== null && !dedupKey.endsWith(`:${id}`)
}

/** The key for a message of ours that has none, or whose own key is taken. */
export function ledgerKey(id: string): string {
  return `ledger:${id}`
}

/** Gives a message the same key however it comes: pushed at once, late, or by its entry. */
export function keyed(message: Message): Message {
  return message.dedupKey === null ? { ...message, dedupKey: ledgerKey(message.id) } : message
}
