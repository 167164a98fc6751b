import { PosternError } from '../errors.ts'

/**
 * Answers a request under a key, or repeats the answer that the same request got within the last day. Of several requests
 * at once exactly one runs; the others fail with IDEMPOTENCY_BUSY. Another request under the same key fails with
 * IDEMPOTENCY_CONFLICT.
 */
export type AnswerOnce = <Answer>(request: KeyedRequest<Answer>) => Promise<Answer>

export interface KeyedRequest<Answer> extends ReplyRef {
  /** A hash of what is asked for. */
  readonly fingerprint: string
  /** Runs the request. If it throws, it has changed nothing, and the key is free for another attempt. */
  answer(): Promise<Answer>
  toStored(answer: Answer): StoredReply
  fromStored(reply: StoredReply): Answer
  /** Notes that an answer could not be stored, or a key not given back. The caller still gets its own outcome. */
  onUnstored(error: unknown): void
}

/** A key, and the caller it belongs to. The same key of another caller is another key. */
export interface ReplyRef {
  readonly caller: string
  readonly key: string
}

export interface StoredReply {
  /** As in HTTP. */
  readonly status: number
  /** JSON, or empty if there is nothing to say. */
  readonly body: string
}

const DEDUP_KEY_CHARACTERS = 300

/** The dedup key that a push gets from a key of its caller, whom it always names. A key that is too long is hashed. */
export function dedupKeyFrom(scheme: string, { caller, key }: ReplyRef, hash: (text: string) => string): string {
  const plain = `${scheme}:${caller}:${key}`
  return plain.length <= DEDUP_KEY_CHARACTERS ? plain : `${scheme}:${caller}:sha256:${hash(plain)}`
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
