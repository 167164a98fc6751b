import { PosternError } from '../model/errors.ts'
import type { Limits } from '../model/limits.ts'
import type { AnswerOnce, KeyedRequest, ReplyClaim, ReplyRef, StoredReply } from '../model/network/replies.ts'
import type { Shelves, Store } from '../store/store.ts'

/** Stored answers to requests that carry a key, kept for a day. */
export interface Replies {
  /**
   * Claims a key for a request. Returns the claim, or what is known of the request that has the key: its answer, or none
   * while it is running. A claim that has no answer after two minutes goes to the next request, with its outcome.
   */
  claim(input: ReplyRef & { readonly fingerprint: string }): Promise<ReplyClaim | EarlierReply>
  keep(input: ReplyClaim & StoredReply): Promise<void>
  /** Gives a key back: the request changed nothing. */
  drop(input: ReplyClaim): Promise<void>
  /** Gives a key back, and keeps the outcome of a committed change for the next attempt. */
  release(input: ReplyClaim): Promise<void>
}

export interface EarlierReply {
  readonly fingerprint: string
  /** Null while the request is running. */
  readonly status: number | null
  readonly body: string | null
}

/** A process that claimed a key and has not answered within this time counts as dead. The command of a gate may take half of it. */
const ABANDONED_MS = 120_000

/** A longer answer is not stored. The next request under the key makes it again from the recorded outcome. */
const MAX_STORED_CHARACTERS = 1024 * 1024

type ReplyLimits = Pick<Limits, 'repliesPerCaller' | 'replyBytesPerCaller'>

export function createReplies(store: Pick<Store, 'single' | 'transact' | 'now'>, limits: ReplyLimits): Replies {
  return {
    claim: (input) =>
      store.transact(async (tx) => {
        const at = store.now()
        const claimed = await tx.replies.claim({ ...input, at, abandonedBefore: at - ABANDONED_MS })
        if (!claimed.isMine) return claimed
        // A request that was carried out needs its answer, whatever else its caller has asked for.
        if (claimed.outcome === null) await requireRoom(tx, input.caller, limits)
        const { caller, key } = input
        return { caller, key, taken: claimed.taken, outcome: claimed.outcome }
      }),
    keep: (input) => store.single((tx) => tx.replies.keep(input)),
    drop: (input) => store.single((tx) => tx.replies.drop(input)),
    release: (input) => store.transact((tx) => tx.replies.release(input)),
  }
}

/** Answers are kept for a day, so a caller may have only so many and so large ones. Requests under way may add theirs. */
async function requireRoom(tx: Shelves, caller: string, limits: ReplyLimits): Promise<void> {
  const { repliesPerCaller: most, replyBytesPerCaller: mostBytes } = limits
  const { count, bytes } = await tx.replies.usage({ caller, upTo: most + 1 })
  if (count <= most && bytes < mostBytes) return
  throw new PosternError('QUOTA_REACHED', {
    caller: 'This caller',
    count: count > most ? most : mostBytes,
    what: `${count > most ? '' : 'bytes of '}answers to keyed requests`,
    next: 'Repeat the request without an Idempotency-Key, or tomorrow; nothing was done.',
  })
}

export function createAnswerOnce(replies: Replies): AnswerOnce {
  return async (request) => {
    const { caller, key, fingerprint } = request
    const claimed = await replies.claim({ caller, key, fingerprint })
    return 'taken' in claimed ? answerAndStore(replies, request, claimed) : repeat(request, claimed)
  }
}

/** The stored answer of an earlier request. */
function repeat<Answer>(
  { key, fingerprint, fromStored }: KeyedRequest<Answer>,
  { status, body, ...earlier }: EarlierReply,
): Answer {
  if (earlier.fingerprint !== fingerprint) throw new PosternError('IDEMPOTENCY_CONFLICT', { key })
  if (status === null) throw new PosternError('IDEMPOTENCY_BUSY', { key })
  return fromStored({ status, body: body ?? '' })
}

async function answerAndStore<Answer>(
  replies: Replies,
  { answer, toStored, onUnstored }: KeyedRequest<Answer>,
  claim: ReplyClaim,
): Promise<Answer> {
  const given = await answer(claim).catch(async (error: unknown) => {
    const isRefused = isRefusal(error)
    const giveBack = isRefused && claim.outcome === null ? replies.drop(claim) : replies.release(claim)
    await giveBack.catch(onUnstored)
    throw claim.outcome !== null && !isPassing(error) ? lostAnswer(claim, error) : error
  })
  const { status, body } = toStored(given)
  const store = body.length > MAX_STORED_CHARACTERS ? replies.release(claim) : replies.keep({ ...claim, status, body })
  // The request is done. A caller that is told otherwise would do it again, so a failure to store is only noted.
  await store.catch(onUnstored)
  return given
}

/** The request was carried out before, so whatever its repetition meets says nothing of it. */
function lostAnswer({ key }: ReplyClaim, cause: unknown): PosternError {
  return new PosternError('IDEMPOTENCY_LOST', { key }, { cause })
}

/** A request that was refused has changed nothing. After any other failure its change may have been committed. */
function isRefusal(error: unknown): boolean {
  return error instanceof PosternError && error.http < 500
}

/** The same attempt may succeed in a moment. */
function isPassing(error: unknown): boolean {
  return error instanceof PosternError && error.retryable
}
