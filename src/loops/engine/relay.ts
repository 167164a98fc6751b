import { sleep } from '../../kit/clock/sleep.ts'
import { within } from '../../kit/clock/within.ts'
import { createBackoff } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { RING_EVENTS } from '../../model/ring.ts'
import type { EngineWire, Listener, Wire } from '../../wires/wire.ts'
import type { Loop } from '../loop.ts'
import { Carrier, type CarrierOptions, type Rest } from './carrier.ts'

export interface RelayOptions extends Omit<CarrierOptions, 'engine' | 'isStopped'> {
  readonly engine: EngineWire
  /** Rings when something has happened in the store. */
  readonly bell: Pick<Wire, 'listen'>
}

/**
 * Carries stored messages to an engine. Closing it ends the round under way, stores its cursor and gives its lease
 * back, so that another server continues.
 */
export interface Relay extends Loop {
  /** How many copies the engine has taken from this server. */
  readonly carried: number
  /** Whether this server is the one that carries now. */
  readonly isLeading: boolean
  /** How many events are still to be carried. The count stops at a bound. */
  countBehind(): Promise<number>
}

const RETRY = { minMs: 100, maxMs: 5_000 }
/** How long to wait before ringing listeners that the pushing process has usually rung already. */
const REPEAT_MS = 10
/** Nobody rings this name. A listener is rung when the engine is back, whatever it listens to. */
const RING_RELAY = '@relay'
/** A server does not wait longer than this for an engine that does not answer. */
const PARTING_MS = 2_000

export function startRelay(options: RelayOptions): Relay {
  return new LoopingRelay(options)
}

class LoopingRelay implements Relay {
  readonly #options: RelayOptions
  readonly #carrier: Carrier
  readonly #backoff
  readonly #listeners: Promise<Listener | undefined>[]
  readonly #running: Promise<void>
  #closing: Promise<void> | undefined
  /** The last round failed. The next one starts after the backoff, or when the engine is back; rings do not start it. */
  #isFailing = false
  #isUpKnown = false
  #isRung = false
  #isBack = false
  #wakeUp: () => void = () => {}
  #looking: NodeJS.Timeout | undefined

  constructor(options: RelayOptions) {
    this.#options = options
    this.#carrier = new Carrier({ ...options, isStopped: () => this.#closing !== undefined })
    this.#backoff = createBackoff({ ...RETRY, random: options.random })
    options.engine.onWiped?.(() => {
      this.#carrier.beginAgain()
      this.#hearBack()
    })
    this.#listeners = [
      this.#listen(options.bell, RING_EVENTS, () => this.#hearRing()),
      this.#listen(options.engine, RING_RELAY, () => this.#hearBack()),
    ]
    this.#running = this.#run()
  }

  get carried(): number {
    return this.#carrier.carried
  }

  get isLeading(): boolean {
    return this.#carrier.isLeading
  }

  countBehind(): Promise<number> {
    return this.#carrier.countBehind()
  }

  wake(): void {
    if (!this.#isFailing) this.#hearBack()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    this.#wakeUp()
    return this.#closing
  }

  async #close(): Promise<void> {
    // Let `#closing` be set first, so that the loop sees it.
    await undefined
    clearTimeout(this.#looking)
    await within(PARTING_MS, this.#running, undefined)
    await this.#carrier.leave().catch((error: unknown) => this.#noteFailure(error))
    // A listener that still waits for its engine ends with the engine's wire, so nobody waits for it here.
    for (const listening of this.#listeners) listening.then((listener) => listener?.close()).catch(() => {})
  }

  /** If it cannot listen, copies are only delayed: the relay also polls. */
  async #listen(bell: Pick<Wire, 'listen'>, name: string, onRing: () => void): Promise<Listener | undefined> {
    try {
      const listener = await bell.listen([name], onRing)
      onRing()
      return listener
    } catch (error) {
      this.#options.note('relay.deaf', { wire: this.#options.engine.name, error: reasonOf(error) })
      return undefined
    }
  }

  /**
   * Usually the process that pushed has rung an engine that stores no copies, so there is no hurry: wait a moment, and
   * handle the rings of that moment together.
   */
  #hearRing(): void {
    if (this.#options.engine.take) this.#look()
    else this.#looking ??= setTimeout(() => this.#look(), REPEAT_MS)
  }

  #look(): void {
    this.#looking = undefined
    this.#isRung = true
    this.#wakeUp()
  }

  #hearBack(): void {
    this.#isBack = true
    this.#wakeUp()
  }

  async #run(): Promise<void> {
    while (this.#closing === undefined) {
      this.#isRung = false
      this.#isBack = false
      await this.#sleep(await this.#round())
    }
  }

  async #round(): Promise<Rest> {
    try {
      // While the engine is down, nothing is read for it.
      if (!this.#isUpKnown && !(await this.#options.engine.health()).isUp) return this.#backOff()
      this.#isUpKnown = true
      const rest = await this.#carrier.carryAll()
      this.#backoff.reset()
      if (this.#isFailing) this.#options.note('relay.resumed', { wire: this.#options.engine.name })
      this.#isFailing = false
      return rest
    } catch (error) {
      if (!this.#isFailing && this.#closing === undefined) this.#noteFailure(error)
      this.#isFailing = true
      return this.#backOff()
    }
  }

  #backOff(): Rest {
    this.#isUpKnown = false
    return { ms: this.#backoff.next(), isWaking: false }
  }

  #noteFailure(error: unknown): void {
    this.#options.note('relay.failed', { wire: this.#options.engine.name, error: reasonOf(error) })
  }

  #sleep({ ms, isWaking }: Rest): Promise<void> {
    const isOver = () => this.#closing !== undefined || this.#isBack || (isWaking && this.#isRung)
    return sleep(ms, {
      subscribe: (end) => {
        this.#wakeUp = () => {
          if (isOver()) end()
        }
        this.#wakeUp()
        return () => {}
      },
    })
  }
}
