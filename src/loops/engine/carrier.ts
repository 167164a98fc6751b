import { jitter } from '../../kit/pure/backoff.ts'
import type { Copy, EngineWire } from '../../wires/wire.ts'
import type { Outbox, OutboxPage } from './outbox.ts'

export interface CarrierOptions {
  readonly outbox: Outbox
  readonly engine: Pick<EngineWire, 'name' | 'carry'>
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
  readonly random: () => number
  /** Milliseconds that only ever grow. */
  readonly now: () => number
  /** True once nothing more is to be carried. */
  readonly isStopped: () => boolean
}

/** What to do until the next round. */
export interface Rest {
  readonly ms: number
  /** False: a ring changes nothing, because another server carries. */
  readonly isWaking: boolean
}

/** No ring tells of everything, so it looks for itself this often. */
export const IDLE_MS = 30_000
/** How often it writes down how far it has come, while it is busy. */
const KEEP_EVERY_MS = 1_000
/** What an open transaction holds back is mostly there in a moment. */
const HELD_BACK = { minMs: 10, maxMs: 1_000 }
const PAGE = 500
/** What is on its way at once, of messages and of what they say. */
const IN_FLIGHT = 500
const IN_FLIGHT_CHARACTERS = 4_000_000

/**
 * Carries what is in an outbox, page by page, while it leads.
 *
 *   looking ─something to carry→ leading ─the lease is over, or another has it→ looking
 *
 * Whatever has been carried and not been written down when this process dies is carried again.
 */
export class Carrier {
  readonly #options: CarrierOptions
  /** How far this server has come, and the kept cursor from which it came there. */
  #cursor = ''
  #known = ''
  #leadsUntilMs = 0
  #keptAtMs = 0
  #hasMoved = false
  #isWiped = false
  /** Until when another has the lease, as it was when this server first heard of a wiped engine. */
  #otherLeadsUntilMs: number | undefined
  #heldBackMs = 0
  #carried = 0

  constructor(options: CarrierOptions) {
    this.#options = options
  }

  get carried(): number {
    return this.#carried
  }

  get isLeading(): boolean {
    return this.#options.now() < this.#leadsUntilMs
  }

  /** What was carried before may be gone: it begins again. */
  beginAgain(): void {
    this.#isWiped = true
    this.#otherLeadsUntilMs = undefined
  }

  /** Carries everything there is. Rejects where the outbox or the engine fails, and nothing is skipped by that. */
  async carryAll(): Promise<Rest> {
    if (!this.isLeading) {
      const { cursor, heldForMs } = await this.#options.outbox.look()
      if (heldForMs > 0) return this.#follow(heldForMs)
      this.#goOnFrom(cursor)
    }
    if (this.#isWiped && !(await this.#rewind())) return AT_ONCE
    while (!this.#options.isStopped()) {
      const page = await this.#options.outbox.next({ cursor: this.#cursor, limit: PAGE })
      if (page.hasGap) this.#options.note('relay.gap', { wire: this.#options.engine.name })
      if (page.copies.length === 0 && !page.isMore) return this.#rest(page)
      const rest = await this.#lead()
      if (rest === 'moved') continue
      if (rest !== undefined) return rest
      if (!(await this.#carry(page.copies))) return AT_ONCE
      this.#cursor = page.cursor
      this.#hasMoved = true
      if (this.#isKeepDue() && !(await this.#keep())) return AT_ONCE
    }
    return AT_ONCE
  }

  /** How many rows have to be carried yet. */
  async countBehind(): Promise<number> {
    const { outbox } = this.#options
    const kept = this.isLeading ? this.#known : (await outbox.look()).cursor
    return outbox.countAfter(kept === this.#known ? this.#cursor : kept)
  }

  /** Writes down how far it has come, and lets another go on at once. */
  async leave(): Promise<void> {
    if (!this.isLeading) return
    this.#leadsUntilMs = 0
    await this.#options.outbox.leave(this.#cursor)
  }

  #follow(heldForMs: number): Rest {
    this.#leadsUntilMs = 0
    // Whoever leads hears of a wiped engine too, and its lease is prolonged while it begins again. That of a dead one ends.
    const untilMs = this.#options.now() + heldForMs
    this.#otherLeadsUntilMs ??= untilMs
    if (untilMs - this.#otherLeadsUntilMs > KEEP_EVERY_MS / 2) this.#isWiped = false
    return { ms: heldForMs + jitter(0, heldForMs / 10, this.#options.random), isWaking: false }
  }

  /** Rows that had nothing to carry are not written down, so this server may know better where nobody has led since. */
  #goOnFrom(kept: string): void {
    if (kept === this.#known) return
    this.#known = kept
    this.#cursor = kept
    this.#hasMoved = false
  }

  /** Undefined: it leads, and what it has read is what comes next. */
  async #lead(): Promise<Rest | 'moved' | undefined> {
    if (this.isLeading) return undefined
    const { outbox, now } = this.#options
    const askedAtMs = now()
    const before = this.#known
    const { cursor, heldForMs } = await outbox.lead()
    if (heldForMs > 0) return this.#follow(heldForMs)
    this.#leadsUntilMs = askedAtMs + outbox.leaseMs
    this.#keptAtMs = askedAtMs
    this.#goOnFrom(cursor)
    return cursor === before ? undefined : 'moved'
  }

  async #rewind(): Promise<boolean> {
    // Nothing was carried yet, as on a new engine.
    if ((await this.#options.outbox.oldest()) === this.#cursor) {
      this.#isWiped = false
      return true
    }
    const rest = await this.#lead()
    if (rest !== undefined && rest !== 'moved') return false
    this.#options.note('relay.again', { wire: this.#options.engine.name, reason: 'what was carried may be gone' })
    this.#cursor = await this.#options.outbox.oldest()
    this.#isWiped = !(await this.#keep())
    return !this.#isWiped
  }

  /**
   * One heap after the other: nothing is sent that overtakes what has to be sent again. False where it leads no more: a
   * page may take longer than a lease, and so may a process that was stopped.
   */
  async #carry(copies: readonly Copy[]): Promise<boolean> {
    for (const heap of inHeaps(copies)) {
      if (this.#options.isStopped()) return false
      if (this.#isKeepDue() && !(await this.#keep())) return false
      await this.#carryHeap(heap)
      this.#carried += heap.length
    }
    return true
  }

  /** However slow the engine is, nobody takes over meanwhile: two who did in turn would never come to an end. */
  async #carryHeap(heap: readonly Copy[]): Promise<void> {
    let keeping: Promise<unknown> = Promise.resolve()
    const timer = setInterval(() => {
      keeping = keeping.then(() => this.#keep()).catch(() => {})
    }, KEEP_EVERY_MS)
    try {
      await this.#options.engine.carry(heap)
    } finally {
      clearInterval(timer)
      await keeping
    }
  }

  #isKeepDue(): boolean {
    return this.#options.now() - this.#keptAtMs >= KEEP_EVERY_MS
  }

  async #keep(): Promise<boolean> {
    const { outbox, now, isStopped } = this.#options
    // Whoever ends gives its right back, and does not take it once more.
    if (isStopped()) return false
    const askedAtMs = now()
    const isKept = await outbox.keep(this.#cursor)
    this.#leadsUntilMs = isKept ? askedAtMs + outbox.leaseMs : 0
    if (!isKept) return false
    this.#keptAtMs = askedAtMs
    this.#known = this.#cursor
    this.#hasMoved = false
    return true
  }

  async #rest({ cursor, isHeldBack }: OutboxPage): Promise<Rest> {
    this.#cursor = cursor
    if (this.#hasMoved && this.isLeading && this.#isKeepDue() && !(await this.#keep())) return AT_ONCE
    this.#heldBackMs = isHeldBack ? Math.min(HELD_BACK.maxMs, this.#heldBackMs * 2 || HELD_BACK.minMs) : 0
    const keepInMs = this.#hasMoved && this.isLeading ? KEEP_EVERY_MS - (this.#options.now() - this.#keptAtMs) : IDLE_MS
    return { ms: Math.max(0, Math.min(IDLE_MS, keepInMs, this.#heldBackMs || IDLE_MS)), isWaking: true }
  }
}

const AT_ONCE: Rest = { ms: 0, isWaking: true }

function* inHeaps(copies: readonly Copy[]): Generator<readonly Copy[]> {
  let heap: Copy[] = []
  let characters = 0
  for (const copy of copies) {
    heap.push(copy)
    characters += copy.message.content.length
    if (heap.length < IN_FLIGHT && characters < IN_FLIGHT_CHARACTERS) continue
    yield heap
    heap = []
    characters = 0
  }
  if (heap.length > 0) yield heap
}
