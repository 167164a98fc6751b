import type { Handler } from '../handler.ts'
import { stopLimit } from '../stop-limit.ts'

/**
 * Counts every time the end of a turn was put off in a row, whatever put it off, and gives up before the host does: a
 * host that gives up tells nobody. Those who would put it off once more find that they may not.
 * Where the hooks are installed twice, what another hook has said of this very stop is no earlier one.
 */
export const stopLoop: Handler = {
  name: 'stop loop',
  priority: 14,
  events: ['turn.stop'],

  async handle(call) {
    const { session, begunAt, settings } = call
    if (!session) return undefined
    if (isSince(begunAt, session.stoppedAt)) {
      call.session = undefined
      return { isFinal: true }
    }
    const already = isSince(begunAt, session.continuedAt) ? session.continuations - 1 : session.continuations
    call.isLoopBroken = Math.max(0, already) >= stopLimit(settings.stopCap)
    return undefined
  },
}

function isSince(begunAt: number | null, at: number | null): boolean {
  return begunAt !== null && at !== null && at > begunAt
}
