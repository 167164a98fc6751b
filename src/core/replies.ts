import { PosternError } from '../model/errors.ts'
import type { AnswerOnce, KeyedRequest, ReplyRef, StoredReply } from '../model/network/replies.ts'
import type { Store } from '../store/store.ts'

/** Stored answers to requests that carry a key, kept for a day. */
export interface Replies {
  /**
   * Claims a key for a request. Undefined means that the caller has the key and runs the request. Otherwise it returns
   * the earlier claim: the stored answer, or no answer while the request is running. A claim that has no answer after a
   * minute goes to the next request.
   */
  claim(input: ReplyRef & { readonly fingerprint: string }): Promise<EarlierReply | undefined>
  keep(input: ReplyRef & StoredReply): Promise<void>
  /** Gives a key back: the request changed nothing. */
  drop(input: ReplyRef): Promise<void>
}

export interface EarlierReply {
  readonly fingerprint: string
  /** Null while the request is running. */
  readonly status: number | null
  readonly body: string | null
}

/** A process that claimed a key and has not answered within this time counts as dead. */
const ABANDONED_MS = 60_000

/** A longer answer is not stored, and its key is given back: the next request under the key runs. */
const MAX_STORED_CHARACTERS = 1024 * 1024

export function createReplies(store: Pick<Store, 'single' | 'transact' | 'now'>): Replies {
  return {
    claim: (input) =>
      store.transact((tx) => {
        const at = store.now()
        return tx.replies.claim({ ...input, at, abandonedBefore: at - ABANDONED_MS })
      }),
    keep: (input) => store.single((tx) => tx.replies.keep(input)),
    drop: (input) => store.single((tx) => tx.replies.drop(input)),
  }
}

export function createAnswerOnce(replies: Replies): AnswerOnce {
  return async (request) => {
    const earlier = await claim(replies, request)
    return earlier ? request.fromStored(earlier) : answerAndStore(replies, request)
  }
}

/** The stored answer; undefined if this request is the one to run. */
async function claim(
  replies: Replies,
  { caller, key, fingerprint }: KeyedRequest<unknown>,
): Promise<StoredReply | undefined> {
  const earlier = await replies.claim({ caller, key, fingerprint })
  if (!earlier) return undefined
  if (earlier.fingerprint !== fingerprint) throw new PosternError('IDEMPOTENCY_CONFLICT', { key })
  const { status, body } = earlier
  if (status === null) throw new PosternError('IDEMPOTENCY_BUSY', { key })
  return { status, body: body ?? '' }
}

async function answerAndStore<Answer>(replies: Replies, request: KeyedRequest<Answer>): Promise<Answer> {
  const { caller, key, onUnstored } = request
  const drop = () => replies.drop({ caller, key }).catch(onUnstored)
  const answer = await request.answer().catch(async (error: unknown) => {
    // Nothing was changed, so the next attempt may succeed.
    await drop()
    throw error
  })
  const { status, body } = request.toStored(answer)
  if (body.length > MAX_STORED_CHARACTERS) await drop()
  // The request is done. A caller that is told otherwise would do it again, so a failure to store is only noted.
  else await replies.keep({ caller, key, status, body }).catch(onUnstored)
  return answer
}
