import type { Context } from '../core/context.ts'
import { createUpkeepRound, UPKEEP_REST_MS } from '../core/upkeep/round.ts'
import { type Sleep, sleep as sleepOnTimer } from '../kit/clock/sleep.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { type Loop, startLoop } from './loop.ts'

/**
 * Runs upkeep until it is closed. Closing does not wait for the round under way: the command of a gate may run for
 * minutes, and the next process finishes the work.
 */
export function startUpkeep(ctx: Context, sleep: Sleep = sleepOnTimer): Loop {
  const round = createUpkeepRound(ctx)
  const loop = startLoop({
    async run() {
      try {
        return await round()
      } catch (error) {
        ctx.note('upkeep.failed', { error: reasonOf(error) })
        return UPKEEP_REST_MS
      }
    },
    firstRestMs: UPKEEP_REST_MS,
    isBackground: true,
    sleep,
  })
  return {
    wake: loop.wake,
    async close() {
      void loop.close()
    },
  }
}
