import { sha256 } from '../../kit/node/crypto.ts'
import { sortedJson } from '../../kit/pure/sorted-json.ts'
import { PosternError } from '../../model/errors.ts'
import { isReplyKey, type Replies } from '../../model/network/replies.ts'
import type { OperationRow } from '../../model/operations.ts'
import { type Asking, JSON_TYPE, type Reply } from '../exchange.ts'
import type { Log } from '../log.ts'

export const KEYED_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH']

/** An answer larger than this is not kept: it would be asked for again. */
const KEPT_BYTES = 1024 * 1024

/** The key of a request that means to be answered once however often it is sent. */
export function idempotencyKey({ method, request }: Asking): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !KEYED_METHODS.includes(method)) return undefined
  if (isReplyKey(key)) return key
  throw new PosternError('INPUT_INVALID', { reason: 'the Idempotency-Key is not 1 to 255 printable ASCII characters' })
}

export interface Keyed {
  readonly asking: Asking
  readonly operation: OperationRow
  readonly key: string
  /** The body as it came. */
  readonly text: string
}

const DEDUP_KEY_BYTES = 300

/** The dedup key that a push gets of such a key. It names whose key it is, so that nobody stands in another's way. */
export function dedupKeyFor(asking: Asking, key: string): string {
  const own = `http:${ownerOf(asking)}:${key}`
  return own.length <= DEDUP_KEY_BYTES ? own : `http:${sha256(own)}`
}

/** Whose keys these are. An administrator may be answered more on somebody's behalf than they would be themselves. */
function ownerOf({ identity: { scope, caller } }: Asking): string {
  return `${scope.kind === 'admin' ? 'admin:' : ''}${caller.kind}:${caller.id}`
}

export interface Keeping {
  readonly replies: Replies
  readonly log: Log
}

/** Answers a request, or repeats what was answered to the same request before. */
export async function answerOnce(
  { replies, log }: Keeping,
  keyed: Keyed,
  answer: () => Promise<Reply>,
): Promise<Reply> {
  const { asking, key, text } = keyed
  if (keyed.operation.isSecret) return answer()
  const ref = { caller: ownerOf(asking), key }
  const fingerprint = sha256(`${asking.method} ${asking.path}\n${inOrder(text)}`)
  const earlier = await replies.claim({ ...ref, fingerprint })
  if (earlier && earlier.fingerprint !== fingerprint) throw new PosternError('IDEMPOTENCY_CONFLICT', { key })
  if (earlier && earlier.status === null) throw new PosternError('IDEMPOTENCY_BUSY', { key })
  if (earlier) return repeated(earlier.status ?? 0, earlier.body ?? '')
  // What is done is done: whoever was told that it failed would do it again.
  const note = (error: Error) => log.warn('reply.unkept', { requestId: asking.requestId, reason: error.message })
  const drop = () => replies.drop(ref).catch(note)
  const reply = await answer().catch(async (error: unknown) => {
    // Nothing was done, so whoever asks again may find that nothing stands in its way any more.
    await drop()
    throw error
  })
  const body = typeof reply.body === 'string' ? reply.body : ''
  if (body.length > KEPT_BYTES) await drop()
  else await replies.keep({ ...ref, status: reply.status, body }).catch(note)
  return reply
}

/** The same request, in whatever order its fields stand. What is no JSON at all is refused later. */
function inOrder(text: string): string {
  try {
    return sortedJson(JSON.parse(text))
  } catch {
    return text
  }
}

function repeated(status: number, body: string): Reply {
  return { status, ...(body !== '' && { body, type: JSON_TYPE }), headers: { 'idempotency-replayed': 'true' } }
}
