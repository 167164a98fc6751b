import { isProgram } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import type { Shelves } from '../store/store.ts'
import type { Context } from './context.ts'

/** What a program creates only so fast, each kind counted by itself. No agent has such an id. */
export type CreationBudget = '@gates' | '@spaces' | '@sessions' | '@buses' | '@attachments'

/**
 * Takes one of the things that a program may create now, or refuses it. These things are kept after they are closed, ended or
 * read, so a program may not create them without end.
 */
export async function takeCreation(ctx: Context, tx: Shelves, budget: CreationBudget): Promise<void> {
  const { caller, store, limits } = ctx
  if (!isProgram(caller)) return
  const { burst, perMinute } = rateOf(limits, budget)
  if (await tx.budgets.take({ from: caller.id, to: budget, now: store.now(), burst, perMinute })) return
  throw new PosternError('RATE_LIMITED', { seconds: Math.ceil(60 / Math.max(1, perMinute)) })
}

function rateOf(limits: Context['limits'], budget: CreationBudget): { burst: number; perMinute: number } {
  return budget === '@gates'
    ? { burst: limits.gateBurst, perMinute: limits.gatesPerMinute }
    : { burst: limits.creationBurst, perMinute: limits.creationsPerMinute }
}
