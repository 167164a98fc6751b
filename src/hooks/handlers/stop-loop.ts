import type { Handler } from '../handler.ts'
import { stopLimit } from '../stop-limit.ts'

/** However patient a host is, no turn is put off more often than this. */
const MAX_CONTINUATIONS = 5

/**
 * Counts every time the end of a turn was put off in a row, whatever put it off, and gives up before the host does: a
 * host that gives up tells nobody. Those who would put it off once more find that they may not.
 */
export const stopLoop: Handler = {
  name: 'stop loop',
  priority: 14,
  events: ['turn.stop'],

  async handle(call) {
    const limit = stopLimit(MAX_CONTINUATIONS, call.settings.stopCap)
    call.isLoopBroken = (call.session?.continuations ?? 0) >= limit
    return undefined
  },
}
