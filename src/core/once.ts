import { reasonOf } from '../kit/pure/reason-of.ts'
import { sortedJson } from '../kit/pure/sorted-json.ts'
import { dedupKeyFrom, withDedupKeys } from '../model/network/replies.ts'
import { fromWire, toWire } from '../model/network/wire-json.ts'
import { isRead, OPERATIONS, type OperationName } from '../model/operations.ts'
import type { Context } from './context.ts'
import { fenceStore } from './fenced-store.ts'
import { createAnswerOnce, createReplies } from './replies.ts'
import { callVerb } from './verbs.ts'

type Input = Readonly<Record<string, unknown>>

export interface OperationCall {
  readonly name: OperationName
  readonly ctx: Context
  readonly input: Input
}

/** Every stored answer needs a status. A call in this process has none of its own. */
const DONE = 200

/**
 * Calls an operation under a key. A read, an operation whose answer holds a secret, and a call that brings its own key
 * are simply run: their answers are never repeated from the store.
 */
export async function callOnce(key: string, { name, ctx, input }: OperationCall): Promise<unknown> {
  const { isSecret, keyField, ...operation } = OPERATIONS[name]
  const [noun = '', verb = ''] = name.split('.')
  const call = (given: Input) => callVerb(noun, verb, ctx, given)
  if (isRead(operation) || isSecret || (keyField !== undefined && input[keyField] !== undefined)) return call(input)
  const { hash } = await ctx.secrets()
  const owner = ownerOf(ctx)
  const keyFor = (suffix: string) => dedupKeyFrom('once', { caller: owner, key: `${key}${suffix}` }, hash)
  const keyed = withDedupKeys(OPERATIONS[name], input, keyFor)
  if (keyField !== undefined) return call(keyed)
  return createAnswerOnce(createReplies(ctx.store, ctx.limits))<unknown>({
    caller: `once:${owner}`,
    key,
    fingerprint: hash(`${name}\n${sortedJson(input)}`),
    answer: (claim) => callVerb(noun, verb, { ...ctx, store: fenceStore(ctx.store, claim, name) }, keyed),
    toStored: (result) => ({ status: DONE, body: JSON.stringify(toWire(result)) ?? '' }),
    fromStored: ({ body }) => (body === '' ? undefined : fromWire(JSON.parse(body))),
    onUnstored: (error) => ctx.note('reply.unkept', { reason: reasonOf(error) }),
  })
}

/** The caller that owns a key. Two callers may use the same key without sharing answers. */
function ownerOf({ caller: { kind, id, verified } }: Context): string {
  return `${kind}:${id}${verified ? '' : ':unverified'}`
}
