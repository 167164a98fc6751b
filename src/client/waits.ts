import type { Bus, BusPage, WaitForEntries } from '../model/bus/bus.ts'
import type { Decision } from '../model/decision.ts'
import type { Decisions } from '../model/decisions.ts'
import { PosternError } from '../model/errors.ts'
import type { EventPage, Events } from '../model/network/events.ts'
import type { OperationName } from '../model/operations.ts'
import type { Inbox } from '../model/postern.ts'
import type { Trace } from '../model/receipt.ts'
import type { Input } from './request.ts'
import type { Sending } from './transport.ts'

/** Asks for one operation. */
export type Call = (name: OperationName, input: Input, sending?: Round) => Promise<unknown>

type Round = Pick<Sending, 'signal' | 'waitMs'>

/** One request waits no longer: servers have a bound of their own, and what stands before them often cuts at a minute. */
const ROUND_MS = 50_000

export interface Waits {
  readonly inbox: Pick<Inbox, 'wait' | 'waitFor'>
  readonly decisions: Pick<Decisions, 'await'>
  readonly events: Pick<Events, 'wait'>
  readonly bus: Pick<Bus, 'wait'>
}

/** The operations that wait, each of them as many requests as it takes. */
export function createWaits(call: Call): Waits {
  const round =
    <T>(name: OperationName, more: () => Input = () => ({})) =>
    async (input: Patience, sending: Round) =>
      (await call(name, { ...input, ...more() }, sending)) as T
  return {
    inbox: {
      wait: (input) => inRounds(round<{ readonly pending: number }>('inbox.wait'), input, ({ pending }) => pending > 0),
      waitFor: (input) => inRounds(round<Trace>('inbox.waitFor'), input, () => true),
    },
    decisions: { await: (input) => inRounds(round<Decision>('decisions.await'), input, () => true) },
    events: { wait: waitForEvents },
    bus: { wait: waitForEntries },
  }

  /** What came meanwhile and was of no interest is not looked at again. */
  function waitForEvents(input: Parameters<Events['wait']>[0]): Promise<EventPage> {
    let { after } = input
    const ask = round<EventPage>('events.wait', () => (after === undefined ? {} : { after, latest: undefined }))
    return inRounds(ask, input, ({ items, cursor, hasGap }) => {
      after = cursor
      return items.length > 0 || hasGap
    })
  }

  function waitForEntries(input: WaitForEntries): Promise<BusPage> {
    let { after } = input
    const ask = round<BusPage>('bus.wait', () => (after === undefined ? {} : { after }))
    return inRounds(ask, input, ({ items, cursor, hasGap }) => {
      after = cursor ?? after
      return items.length > 0 || hasGap
    })
  }
}

interface Patience {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/**
 * Asks again until there is an answer or the time is over. Time is counted by what was asked for, so that it is the
 * server's clock which decides. Whoever is stopped looks once more, without waiting: that is the answer then.
 */
async function inRounds<T>(
  ask: (input: Patience, sending: Round) => Promise<T>,
  { signal, ...input }: Patience,
  isAnswer: (answer: T) => boolean,
): Promise<T> {
  const { timeoutMs = Number.POSITIVE_INFINITY } = input
  // What is no time at all the server refuses.
  if (input.timeoutMs !== undefined && !(timeoutMs >= 0 && Number.isFinite(timeoutMs))) return ask(input, {})
  for (let left = timeoutMs; ; left -= ROUND_MS) {
    const isStopped = signal?.aborted === true
    const isLast = isStopped || left <= ROUND_MS
    const waitMs = isStopped ? 0 : Math.min(left, ROUND_MS)
    try {
      const answer = await ask({ ...input, timeoutMs: waitMs }, { signal: isStopped ? undefined : signal, waitMs })
      if (isLast || isAnswer(answer)) return answer
    } catch (error) {
      if (isStopped || !mayAskAgain(error, isLast, signal)) throw error
    }
  }
}

/** What was too short is followed by another, and what its waiter has ended by a last look. */
function mayAskAgain(error: unknown, isLast: boolean, signal: AbortSignal | undefined): boolean {
  if (error instanceof PosternError) return !isLast && error.code === 'TIMED_OUT'
  return signal?.aborted === true
}
