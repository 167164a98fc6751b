import type { Caller } from '../caller.ts'
import { PosternError } from '../errors.ts'
import type { OperationName, OperationRow } from '../operations.ts'
import type { Postern } from '../postern.ts'

/**
 * Answers a request under a key, or repeats the answer that the same request got within the last day. Of several requests
 * at once exactly one runs; the others fail with IDEMPOTENCY_BUSY. Another request under the same key fails with
 * IDEMPOTENCY_CONFLICT.
 */
export type AnswerOnce = <Answer>(request: KeyedRequest<Answer>) => Promise<Answer>

export interface KeyedRequest<Answer> extends ReplyRef {
  /** A hash of what is asked for. */
  readonly fingerprint: string
  /**
   * Runs the request on a store that records its outcome under the claim. If it is refused, it has changed nothing, and
   * the key is free for another attempt.
   */
  answer(claim: ReplyClaim): Promise<Answer>
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

/** A key that a request holds, and what an earlier attempt at the same request has done under it. */
export interface ReplyClaim extends ReplyRef {
  /** Rises each time that the key is claimed. */
  readonly taken: number
  /** What the change returned that an earlier attempt has committed, as JSON; null if there is none. */
  readonly outcome: string | null
}

/** Binds a Postern to the caller of a request and to its claim: the change of its operation is recorded under the claim. */
export type UnderClaim = (
  claim: ReplyClaim,
  request: { readonly caller: Caller; readonly operation: OperationName },
) => Postern

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

type Input = Readonly<Record<string, unknown>>

/**
 * The input with the dedup keys that a request under a key gives to the messages it pushes. A message that brings its own
 * key keeps it. A key has no space in it, so the suffix of a message never makes the key of another request.
 */
export function withDedupKeys(
  { pushes, keyField }: Pick<OperationRow, 'pushes' | 'keyField'>,
  input: Input,
  keyFor: (suffix: string) => string,
): Input {
  const { messages } = input
  if (pushes === 'many' && Array.isArray(messages)) {
    const isKeyless = (message: unknown) => typeof message === 'object' && message !== null && !('dedupKey' in message)
    const keyed = (message: unknown, at: number) => ({ ...(message as Input), dedupKey: keyFor(` ${at}`) })
    return { ...input, messages: messages.map((message, at) => (isKeyless(message) ? keyed(message, at) : message)) }
  }
  if (keyField === undefined || input[keyField] !== undefined) return input
  return { ...input, [keyField]: keyFor('') }
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
    value: key,
    next: 'Use 1 to 255 printable ASCII characters without a space.',
  })
}
