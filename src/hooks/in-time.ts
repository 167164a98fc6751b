import { PosternError } from '../model/errors.ts'
import type { HookSettings } from './handler.ts'

/** Fails when the answer must be out; whatever comes later is handed to `late`. */
export function inTime<T>(
  { ageMs, timeouts }: Pick<HookSettings, 'ageMs' | 'timeouts'>,
  work: Promise<T>,
  late: (value: T) => Promise<void> | void = () => {},
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        isOver = true
        reject(tooLate())
      },
      Math.max(0, timeouts.answerMs - ageMs()),
    )
  })
  // What fails after the deadline is nobody's any more.
  work.then((value) => (isOver ? late(value) : undefined)).catch(() => {})
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}

/**
 * Shortens the deadline by the reserve, for work that only adds text. The gates' verdict keeps the reserve and never
 * waits for that work.
 */
export function untilLate<T extends Pick<HookSettings, 'timeouts'>>(settings: T): T {
  const { answerMs, reserveMs } = settings.timeouts
  return { ...settings, timeouts: { ...settings.timeouts, answerMs: answerMs - reserveMs } }
}

function tooLate(): PosternError {
  return new PosternError('STORE_UNAVAILABLE', { path: 'of this home', reason: 'it did not answer in time' })
}
