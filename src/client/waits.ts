import { sleep } from '../kit/clock/sleep.ts'
import { createBackoff } from '../kit/pure/backoff.ts'
import type { Bus, BusPage, WaitForEntries } from '../model/bus/bus.ts'
import type { Decision } from '../model/decision.ts'
import type { Decisions } from '../model/decisions.ts'
import { PosternError } from '../model/errors.ts'
import type { EventPage, Events } from '../model/network/events.ts'
import type { OperationName } from '../model/operations.ts'
import type { Inbox } from '../model/postern.ts'
import type { Trace } from '../model/receipt.ts'
import type { Input } from './request.ts'
import { linkSignals } from './signals.ts'
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

const RETRY = { minMs: 250, maxMs: 15_000, random: Math.random } as const

/** The operations that wait, each of them as many requests as it takes. They end with the connection to the server. */
export function createWaits(call: Call, closed: AbortSignal): Waits {
  const inRounds = createRounds(closed)
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

type Rounds = <T>(
  ask: (input: Patience, sending: Round) => Promise<T>,
  input: Patience,
  isAnswer: (answer: T) => boolean,
) => Promise<T>

/**
 * Asks again until there is an answer or the time is over. A round that the server has answered counts as the time that
 * was asked for, so the server's clock decides. A round that failed counts as the time that has really passed, so a
 * restart of the server takes only its own time. A waiter that is stopped looks once more, without waiting: that is its
 * answer.
 */
function createRounds(closed: AbortSignal): Rounds {
  return async (ask, { signal, ...input }, isAnswer) => {
    const { timeoutMs = Number.POSITIVE_INFINITY } = input
    // What is no time at all the server refuses.
    if (input.timeoutMs !== undefined && !(timeoutMs >= 0 && Number.isFinite(timeoutMs))) return ask(input, {})
    const backoff = createBackoff(RETRY)
    let left = timeoutMs

    /** Takes the time that a failure has cost, and waits before the next try; throws what cannot be tried again. */
    async function recover(error: unknown, startedAt: number): Promise<void> {
      if (!isPassing(error) || closed.aborted) throw error
      const pauseMs = Math.max(backoff.next(), askedPauseMs(error))
      left = Math.ceil(left - (performance.now() - startedAt) - pauseMs)
      if (left <= 0) throw error
      await pause(pauseMs, [signal, closed])
    }

    while (!isAborted(signal)) {
      const waitMs = Math.min(left, ROUND_MS)
      const isLast = left <= ROUND_MS
      const startedAt = performance.now()
      try {
        const answer = await ask({ ...input, timeoutMs: waitMs }, { signal, waitMs })
        if (isLast || isAnswer(answer)) return answer
        backoff.reset()
        left -= waitMs
      } catch (error) {
        if (isTimeout(error) && !isLast) left -= waitMs
        else if (error instanceof PosternError || !isAborted(signal)) await recover(error, startedAt)
      }
    }
    return ask({ ...input, timeoutMs: 0 }, { signal: undefined, waitMs: 0 })
  }
}

/** Asked anew each time: the compiler would take it for what it was before. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

async function pause(ms: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  const ends = linkSignals(signals)
  await sleep(ms, { signal: ends.signal })
  ends.unlink()
}

function isTimeout(error: unknown): boolean {
  return error instanceof PosternError && error.code === 'TIMED_OUT'
}

/** What will be otherwise in a while, such as a server that is being restarted. */
function isPassing(error: unknown): error is PosternError {
  return error instanceof PosternError && error.retryable && error.code !== 'TIMED_OUT'
}

/** How long the server wants those to wait who come back. */
function askedPauseMs({ details: { seconds } }: PosternError): number {
  return typeof seconds === 'number' ? seconds * 1_000 : 0
}
