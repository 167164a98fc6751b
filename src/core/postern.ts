import { requireReplyKey } from '../model/network/replies.ts'
import type { OperationName } from '../model/operations.ts'
import type { LocalPostern, Postern } from '../model/postern.ts'
import type { Context } from './context.ts'
import { bindVerbs, callVerb } from './verbs.ts'

type Close = () => Promise<void>

/** Binds the verbs to a context: the `Postern` whose core runs in this process. */
export function createPostern(ctx: Context, close: Close): LocalPostern {
  const nouns = bindVerbs((noun, verb) => (input) => callVerb(noun, verb, ctx, input))
  return Object.assign(nouns, {
    caller: ctx.caller,
    as: (caller: Context['caller']) => createPostern({ ...ctx, caller }, close),
    once: (key: string) => createOnce(requireReplyKey(key), ctx, close),
    close,
  })
}

/** The same Postern, but each change is made once under a key. */
function createOnce(key: string, ctx: Context, close: Close): Postern {
  const nouns = bindVerbs((noun, verb) => async (input = {}) => {
    const { callOnce } = await import('./once.ts')
    return callOnce(key, { name: `${noun}.${verb}` as OperationName, ctx, input })
  })
  return Object.assign(nouns, {
    caller: ctx.caller,
    as: (caller: Context['caller']) => createOnce(key, { ...ctx, caller }, close),
    once: (another: string) => createOnce(requireReplyKey(another), ctx, close),
    close,
  })
}
