import { sortedJson } from '../kit/pure/sorted-json.ts'
import { PosternError } from '../model/errors.ts'
import { requireReplyKey } from '../model/network/replies.ts'
import { fromWire, toWire } from '../model/network/wire-json.ts'
import { isRead, OPERATIONS, type OperationName } from '../model/operations.ts'
import type { Postern } from '../model/postern.ts'
import type { Context } from './context.ts'
import { createReplies } from './replies.ts'

type Input = Readonly<Record<string, unknown>>
type Verb = (input?: Input) => Promise<unknown>

const DONE = 200
const KEY_BYTES = 300
/** A larger answer is not kept: it would be asked for again. */
const KEPT_CHARACTERS = 1024 * 1024

/** The same Postern, each change of which is made once under a key. */
export function doneOnce(ctx: Context, postern: Postern, given: string): Postern {
  const key = requireReplyKey(given)
  const rooms = Object.entries(postern).map(([name, room]) => {
    const isRoom = typeof room === 'object' && name !== 'caller'
    return [name, isRoom ? keyedRoom(ctx, name, room as Readonly<Record<string, Verb>>, key) : room]
  })
  return { ...Object.fromEntries(rooms), as: (caller) => postern.as(caller).once(key) } as Postern
}

function keyedRoom(ctx: Context, room: string, verbs: Readonly<Record<string, Verb>>, key: string): object {
  const keyed = Object.entries(verbs).map(([verb, call]) => [
    verb,
    keyedVerb(ctx, `${room}.${verb}` as OperationName, call, key),
  ])
  return Object.fromEntries(keyed)
}

function keyedVerb(ctx: Context, name: OperationName, call: Verb, key: string): Verb {
  const operation = OPERATIONS[name]
  if (isRead(operation) || operation.isSecret) return call
  const { keyField: field } = operation
  if (field === undefined) return (input = {}) => answerOnce(ctx, { name, input, key }, () => call(input))
  return async (input = {}) => {
    if (input[field] !== undefined) return call(input)
    const own = `once:${ownerOf(ctx)}:${key}`
    const isShort = own.length <= KEY_BYTES
    return call({ ...input, [field]: isShort ? own : `once:${(await ctx.secrets()).hash(own)}` })
  }
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
