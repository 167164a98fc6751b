import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import type { Listener } from '../../wires/wire.ts'
import type { Context } from '../context.ts'

/** Rings are hints: a waiter polls at least this often, and more often if it cannot listen. */
const SAFETY_POLL_MS = 30_000
const DEAF_POLL_MS = 1_000

interface Patience {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Poll at this time at the latest, rung or not. */
  readonly wakeAt?: number | null | (() => Promise<number | undefined>)
  /** Poll after this time at the latest, rung or not. Called after every poll. */
  readonly pollMs?: () => number
}

/** Refuses a timeout that is not a duration. No timeout means to wait for ever. */
export function requirePatience({ timeoutMs = 0 }: Patience): void {
  if (Number.isFinite(timeoutMs) && timeoutMs >= 0) return
  throw new PosternError('VALUE_INVALID', {
    field: 'timeout',
    value: timeoutMs,
    next: 'Use a number of milliseconds, or none to wait for as long as it takes.',
  })
}

/**
 * Calls `look` now and after every ring, until it returns an answer or the time is over. It listens before the first
 * call, so no ring is missed between the two.
 */
export async function waitUntil<T>(
  ctx: Context,
  names: readonly string[],
  { timeoutMs = Number.POSITIVE_INFINITY, signal, wakeAt = null, pollMs = () => SAFETY_POLL_MS }: Patience,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const deadline = ctx.store.now() + timeoutMs
  const bell = createBell(ctx)
  const listener = await tryListen(ctx, names, bell.ring)
  const safetyMs = listener ? SAFETY_POLL_MS : DEAF_POLL_MS
  signal?.addEventListener('abort', bell.ring)
  try {
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      const left = deadline - ctx.store.now()
      if (left <= 0 || signal?.aborted) return undefined
      const until = (typeof wakeAt === 'function' ? await wakeAt() : wakeAt) ?? Number.POSITIVE_INFINITY
      const untilWake = until - ctx.store.now()
      await bell.next(Math.min(left, safetyMs, pollMs(), untilWake > 0 ? untilWake : safetyMs))
    }
  } finally {
    signal?.removeEventListener('abort', bell.ring)
    await listener?.close()
  }
}

/** A waiter that cannot listen (too many open files, no rights to the folder, no connection) still polls. */
async function tryListen(ctx: Context, names: readonly string[], onRing: () => void): Promise<Listener | undefined> {
  try {
    return await ctx.wire.listen(names, onRing)
  } catch (error) {
    ctx.note('listen.failed', { error: reasonOf(error) })
    return undefined
  }
}

/** Remembers a ring until the waiter asks for the next one. */
function createBell({ timers }: Context): { ring: () => void; next: (ms: number) => Promise<void> } {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    async next(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const cancel = timers.after(ms, resolve)
          wake = () => {
            cancel()
            resolve()
          }
        })
      }
      rung = false
      wake = undefined
    },
  }
}
