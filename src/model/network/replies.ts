import { PosternError } from '../errors.ts'

/** Answers that were given to requests with an `Idempotency-Key`, kept for a day. */
export interface Replies {
  /**
   * Takes a key for a request. Undefined: it is the caller's to answer. Otherwise what was answered, or that it is being
   * answered. What was begun and not answered within a minute may be taken over.
   */
  claim(input: ReplyRef & { readonly fingerprint: string }): Promise<EarlierReply | undefined>
  keep(input: ReplyRef & { readonly status: number; readonly body: string }): Promise<void>
  /** Gives a key back: the request came to nothing. */
  drop(input: ReplyRef): Promise<void>
}

export interface ReplyRef {
  readonly caller: string
  readonly key: string
}

export interface EarlierReply {
  readonly fingerprint: string
  /** Null while it is being answered. */
  readonly status: number | null
  readonly body: string | null
}

const KEY = /^[\x21-\x7e]{1,255}$/

/** Whether something may be done once under this key: it has to fit into a header. */
export function isReplyKey(key: unknown): key is string {
  return typeof key === 'string' && KEY.test(key)
}

export function requireReplyKey(key: string): string {
  if (isReplyKey(key)) return key
  throw new PosternError('VALUE_INVALID', {
    field: 'key',
    value: JSON.stringify(key),
    next: 'Use 1 to 255 printable ASCII characters without a space.',
  })
}

/**
 * Operations whose input has a field for a key of its own. That one is stored with what they make, so it holds also where
 * the answer is lost between the change and the keeping of the answer.
 */
export const KEY_FIELDS: Readonly<Record<string, string>> = {
  'inbox.push': 'dedupKey',
  'spaces.post': 'dedupKey',
  'messages.send': 'dedup_key',
  'messages.sendInbox': 'dedup_key',
}

/** Operations that only look, or wait: they tell how things are now, and leave the key to the change. */
export const LOOKS: ReadonlySet<string> = new Set([
  'agents.list',
  'agents.show',
  'sessions.list',
  'inbox.list',
  'inbox.search',
  'inbox.held',
  'inbox.dead',
  'inbox.show',
  'inbox.trace',
  'inbox.wait',
  'inbox.waitFor',
  'gates.list',
  'gates.show',
  'decisions.list',
  'decisions.show',
  'decisions.await',
  'spaces.list',
  'spaces.show',
  'spaces.history',
  'plans.list',
  'plans.show',
  'services.list',
  'services.events',
  'tokens.list',
  'bus.read',
  'bus.wait',
  'bus.list',
  'bus.issues',
  'bus.verify',
  'handoff.list',
  'handoff.show',
  'handoff.listOut',
  'notes.list',
  'ledger.status',
  'ledger.topics',
  'ledger.read',
  'ledger.verify',
  'ledger.profile',
  'ledger.connections',
  'ledger.parcels',
  'metrics.series',
  'events.list',
  'events.wait',
  'upkeep.check',
])
