import { sortedJson } from '../kit/pure/sorted-json.ts'
import { PosternError } from '../model/errors.ts'
import { fromWire, toWire } from '../model/network/wire-json.ts'
import { isRead, OPERATIONS, type OperationName } from '../model/operations.ts'
import type { Context } from './context.ts'
import { createReplies } from './replies.ts'
import { callVerb } from './verbs.ts'

type Input = Readonly<Record<string, unknown>>

const DONE = 200
const KEY_BYTES = 300
/** A larger answer is not kept: it would be asked for again. */
const KEPT_CHARACTERS = 1024 * 1024

/** Calls an operation under a key. Reads and secrets are never repeated from a kept answer. */
export async function callOnce(key: string, { name, ctx, input }: OperationCall): Promise<unknown> {
  const { isSecret, keyField, ...operation } = OPERATIONS[name]
  const [noun = '', verb = ''] = name.split('.')
  const call = (given: Input) => callVerb(noun, verb, ctx, given)
  if (isRead(operation) || isSecret || (keyField !== undefined && input[keyField] !== undefined)) return call(input)
  if (keyField === undefined) return answerOnce(ctx, { name, input, key }, () => call(input))
  const own = `once:${ownerOf(ctx)}:${key}`
  const isShort = own.length <= KEY_BYTES
  return call({ ...input, [keyField]: isShort ? own : `once:${(await ctx.secrets()).hash(own)}` })
}

interface OperationCall {
  readonly name: OperationName
  readonly ctx: Context
  readonly input: Input
}

interface Change {
  readonly name: string
  readonly input: Input
  readonly key: string
}

async function answerOnce(ctx: Context, { name, input, key }: Change, answer: () => Promise<unknown>) {
  const replies = createReplies(ctx.store)
  const ref = { caller: `once:${ownerOf(ctx)}`, key }
  const fingerprint = (await ctx.secrets()).hash(`${name}\n${sortedJson(input)}`)
  const earlier = await replies.claim({ ...ref, fingerprint })
  if (earlier && earlier.fingerprint !== fingerprint) throw new PosternError('IDEMPOTENCY_CONFLICT', { key })
  if (earlier && earlier.status === null) throw new PosternError('IDEMPOTENCY_BUSY', { key })
  if (earlier) return earlier.body === '' ? undefined : fromWire(JSON.parse(earlier.body ?? 'null'))
  const note = (error: unknown) => ctx.note('reply.unkept', { reason: String(error) })
  const result = await answer().catch(async (error: unknown) => {
    await replies.drop(ref).catch(note)
    throw error
  })
  // What is done is done: whoever was told that it failed would do it again.
  const body = JSON.stringify(toWire(result)) ?? ''
  const kept = body.length > KEPT_CHARACTERS ? replies.drop(ref) : replies.keep({ ...ref, status: DONE, body })
  await kept.catch(note)
  return result
}

/** Whose keys these are: nobody stands in another's way. */
function ownerOf({ caller: { kind, id, verified } }: Context): string {
  return `${kind}:${id}${verified ? '' : ':unverified'}`
}
