import type { AnswerOnce, UnderClaim } from '../model/network/replies.ts'
import type { Context } from './context.ts'
import { fenceStore } from './fenced-store.ts'
import { createPostern } from './postern.ts'
import { createAnswerOnce, createReplies } from './replies.ts'

/** What a server needs to answer requests that carry a key. */
export interface KeyedAnswers {
  readonly answerOnce: AnswerOnce
  /** The Postern of a request that holds a claim on its key. */
  readonly under: UnderClaim
}

export function createKeyedAnswers(ctx: Context, close: () => Promise<void>): KeyedAnswers {
  return {
    answerOnce: createAnswerOnce(createReplies(ctx.store, ctx.limits)),
    under: (claim, { caller, operation }) =>
      createPostern({ ...ctx, caller, store: fenceStore(ctx.store, claim, operation) }, close),
  }
}
