import { formatDuration } from '../../../kit/pure/duration.ts'
import type { HealthCheck } from '../../../model/postern.ts'
import type { Step } from './judge-clock.ts'
import type { StoreClock } from './store-clock.ts'

const WARNED_MS = 24 * 3_600_000

/** What became of the last step of the machine's clock. */
export function checkClock(clock: StoreClock | undefined): HealthCheck {
  const check = { name: 'store.clock', ok: true, level: 'warning' } as const
  const record = clock?.record
  if (!clock || !record)
    return { ...check, detail: 'this system does not report an uptime, so changes of its clock cannot be noticed' }
  const { step, heldSinceMs } = record
  if (!step) return { ...check, detail: 'no change of the clock was noticed' }
  const said = `the clock was put ${describe(step)}`
  if (heldSinceMs !== undefined)
    return {
      ...check,
      ok: false,
      detail: `${said}. Postern keeps the time from before, so nothing expires or is removed because of it`,
      next: 'If the new time is wrong, correct it. If it is right, do nothing: Postern follows it once every program has seen it for ten minutes.',
    }
  return {
    ...check,
    ok: Math.abs(clock.now() - step.at) > WARNED_MS,
    detail: step.isFollowed
      ? `${said}, and Postern now follows it. No message expired and nothing was removed because of it`
      : `${said}, or one program ran with another time. It is right again. Nothing expired or was removed because of it`,
    next: 'Find out what changed the clock. This warning ends a day after the time above.',
  }
}

function describe({ at, byMs }: Step): string {
  return `${byMs > 0 ? 'forward' : 'back'} by ${formatDuration(Math.abs(byMs))} at ${new Date(at).toISOString()}`
}
