import { requireReplyKey } from '../model/network/replies.ts'
import type { OperationName } from '../model/operations.ts'
import type { LocalPostern } from '../model/postern.ts'
import type { Context } from './context.ts'
import { bindVerbs, callVerb } from './verbs.ts'

/**
 * Makes the `Postern` whose core runs in this process: every verb, bound to a context. With a key, each change happens
 * once under that key.
 */
export function createPostern(ctx: Context, close: () => Promise<void>, key?: string): LocalPostern {
  const nouns = bindVerbs((noun, verb) => async (input) => {
    if (key === undefined) return callVerb(noun, verb, ctx, input)
    const { callOnce } = await import('./once.ts')
    return callOnce(key, { name: `${noun}.${verb}` as OperationName, ctx, input: input ?? {} })
  })
  return Object.assign(nouns, {
    caller: ctx.caller,
    as: (caller: Context['caller']) => createPostern({ ...ctx, caller }, close, key),
    once: (another: string) => createPostern(ctx, close, requireReplyKey(another)),
    close,
  })
}
