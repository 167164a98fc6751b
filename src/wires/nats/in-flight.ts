import { sleep } from '../../kit/clock/sleep.ts'
import { createBackoff, type Random } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { OnCopy } from '../wire.ts'
import { flush } from './flush.ts'
import type { Note } from './link.ts'
import type { Session } from './session.ts'
import type { StreamSeen } from './stream.ts'
import type { Replied } from './take.ts'

export interface InFlightOptions {
  readonly agent: string
  readonly onCopy: OnCopy
  readonly random: Random
  readonly note: Note
}

/**
 * The copies in flight: delivered by the server and not yet acknowledged. They are handed over one after the other. One
 * that is refused is tried again before those behind it, which keeps their order; the server is told meanwhile that all
 * of them are in work. They outlive their connection: the next one acknowledges them just as well.
 */
export interface InFlightCopies {
  attach(session: Session): void
  take(message: Replied, stream: StreamSeen): void
  /** Waits for the copy that is being handed over, and gives the others back after what is to be done before. */
  close(beforeGivingBack: () => Promise<void>): Promise<void>
}

interface Held {
  readonly key: string
  readonly line: string
  readonly reply: string
  /** Of which stream; one that was made again counts from 1 again, so its answers must not go to the new one. */
  readonly madeAt: string
}

/** Well within the time after which the server hands them out again. */
const STILL_WORKING_EVERY_MS = 10_000
const ANSWER_MS = 2_000
const RETRY = { minMs: 100, maxMs: 5_000 }

export function createInFlightCopies(options: InFlightOptions): InFlightCopies {
  return new OrderedCopies(options)
}

class OrderedCopies implements InFlightCopies {
  readonly #options: InFlightOptions
  /** In order of delivery, and by key, so that a copy that is delivered again is recognised. */
  readonly #held = new Map<string, Held>()
  readonly #unsent: Held[] = []
  readonly #closed = new AbortController()
  #session: Session | undefined
  #work: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: InFlightOptions) {
    this.#options = options
  }

  attach(session: Session): void {
    this.#session = session
    for (const held of this.#unsent.splice(0)) this.#acknowledge(held)
  }

  take(message: Replied, stream: StreamSeen): void {
    const key = `${stream.madeAt} ${message.info.consumer} ${message.seq}`
    if (this.#closed.signal.aborted || this.#held.has(key)) return
    const held = { key, line: message.string(), reply: message.reply, madeAt: stream.madeAt }
    const done = this.#unsent.findIndex((other) => other.key === key)
    if (done !== -1) {
      this.#unsent.splice(done, 1)
      this.#acknowledge(held)
      return
    }
    this.#held.set(key, held)
    this.#work ??= this.#handOver().finally(() => {
      this.#work = undefined
    })
  }

  async close(beforeGivingBack: () => Promise<void>): Promise<void> {
    this.#closed.abort()
    await this.#work
    await beforeGivingBack()
    for (const held of this.#held.values()) this.#answer(held, '-NAK')
    this.#held.clear()
    if (this.#session?.isLive()) await flush(this.#session.connection, ANSWER_MS).catch(() => {})
  }

  async #handOver(): Promise<void> {
    this.#timer = setInterval(() => this.#stillWorking(), STILL_WORKING_EVERY_MS)
    const backoff = createBackoff({ ...RETRY, random: this.#options.random })
    let fault = ''
    for (let held = this.#first(); held && !this.#closed.signal.aborted; held = this.#first()) {
      try {
        await this.#options.onCopy(held.line)
        backoff.reset()
        fault = ''
        this.#held.delete(held.key)
        this.#acknowledge(held)
      } catch (error) {
        // It is tried for as long as it takes, and one reason is said once.
        if (fault !== reasonOf(error))
          this.#options.note('wire.copy-refused', { agent: this.#options.agent, error: reasonOf(error) })
        fault = reasonOf(error)
        await sleep(backoff.next(), { signal: this.#closed.signal })
      }
    }
    clearInterval(this.#timer)
  }

  #first(): Held | undefined {
    return this.#held.values().next().value
  }

  #stillWorking(): void {
    for (const held of this.#held.values()) this.#answer(held, '+WPI')
  }

  /** Where it cannot be said now it is said over the next connection, so that nothing comes again in vain. */
  #acknowledge(held: Held): void {
    if (!this.#answer(held, '+ACK')) this.#unsent.push(held)
  }

  /** False where there is no connection. */
  #answer(held: Held, answer: string): boolean {
    const session = this.#session
    if (!session?.isLive()) return false
    const stream = session.stream()
    if (!stream) return false
    if (stream.madeAt === held.madeAt) session.connection.publish(held.reply, answer)
    return true
  }
}
