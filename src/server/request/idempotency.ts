import { sha256 } from '../../kit/node/crypto.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { sortedJson } from '../../kit/pure/sorted-json.ts'
import { PosternError } from '../../model/errors.ts'
import {
  type AnswerOnce,
  dedupKeyFrom,
  isReplyKey,
  type ReplyClaim,
  type StoredReply,
  type UnderClaim,
} from '../../model/network/replies.ts'
import { isRead } from '../../model/operations.ts'
import type { Postern } from '../../model/postern.ts'
import type { Operation } from '../../operations/operation.ts'
import { type Asking, JSON_TYPE, type Reply } from '../exchange.ts'
import type { Log } from '../log.ts'

export const KEYED_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH']

/** The key of a request that means to be answered once however often it is sent. */
export function idempotencyKey({ method, request }: Asking): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !KEYED_METHODS.includes(method)) return undefined
  if (isReplyKey(key)) return key
  throw new PosternError('INPUT_INVALID', { reason: 'the Idempotency-Key is not 1 to 255 printable ASCII characters' })
}

export interface Keyed {
  readonly asking: Asking
  readonly operation: Operation
  readonly key: string
  /** The body as it came. */
  readonly text: string
}

/** The dedup key that a push gets from its Idempotency-Key. */
export function dedupKeyFor(asking: Asking, key: string): string {
  return dedupKeyFrom('http', { caller: ownerOf(asking), key }, sha256)
}

/** Whose keys these are. An administrator may be answered more on somebody's behalf than they would be themselves. */
function ownerOf({ identity: { scope, caller } }: Asking): string {
  return `${scope.kind === 'admin' ? 'admin:' : ''}${caller.kind}:${caller.id}`
}

export interface Keeping {
  readonly answerOnce: AnswerOnce
  readonly under: UnderClaim
  readonly log: Log
}

/** Answers a request with a key once. A reply that holds a secret is not stored, so that request is answered each time. */
export async function answerKeyed(
  { answerOnce, under, log }: Keeping,
  keyed: Keyed,
  answer: (postern: Postern, claim?: ReplyClaim) => Promise<Reply>,
): Promise<Reply> {
  const { asking, operation, key, text } = keyed
  if (operation.isSecret || isRead(operation)) return answer(asking.postern)
  return answerOnce<Reply>({
    caller: ownerOf(asking),
    key,
    fingerprint: sha256(`${asking.method} ${asking.path}\n${inOrder(text)}`),
    answer: (claim) => answer(under(claim, { caller: asking.identity.caller, operation: operation.name }), claim),
    toStored: ({ status, body }) => ({ status, body: typeof body === 'string' ? body : '' }),
    fromStored: repeated,
    onUnstored: (error) => log.note('reply.unkept', { requestId: asking.requestId, reason: reasonOf(error) }),
  })
}

/** The body with its fields in one order. A body that is not JSON is refused later. */
function inOrder(text: string): string {
  try {
    return sortedJson(JSON.parse(text))
  } catch {
    return text
  }
}

function repeated({ status, body }: StoredReply): Reply {
  return { status, ...(body !== '' && { body, type: JSON_TYPE }), headers: { 'idempotency-replayed': 'true' } }
}
