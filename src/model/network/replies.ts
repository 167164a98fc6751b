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
