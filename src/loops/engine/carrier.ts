import { jitter } from '../../kit/pure/backoff.ts'
import type { Copy, EngineWire } from '../../wires/wire.ts'
import type { Outbox, OutboxPage } from './outbox.ts'

export interface CarrierOptions {
  readonly outbox: Outbox
  readonly engine: Pick<EngineWire, 'name' | 'carry'>
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
  readonly random: () => number
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** True once the relay is closed. */
  readonly isStopped: () => boolean
}

/** How to rest until the next round. */
export interface Rest {
  readonly ms: number
  /** Whether a ring ends the rest. False while another server leads, or after a failure. */
  readonly isWaking: boolean
}

/** Rings may be lost, so the relay polls this often. */
export const IDLE_MS = 30_000
/** How often a busy carrier stores its cursor. */
const KEEP_EVERY_MS = 1_000
/** Rows that an open transaction holds back usually become readable soon. */
const HELD_BACK = { minMs: 10, maxMs: 1_000 }
const PAGE = 500
/** The most messages, and the most characters, that are sent at once. */
const IN_FLIGHT = 500
const IN_FLIGHT_CHARACTERS = 4_000_000

/**
 * Carries the copies of an outbox, page by page, while it leads.
 *
 *   looking ─something to carry→ leading ─the lease is over, or another has it→ looking
 *
 * Copies that were carried after the cursor was last stored are carried again if this process dies.
 */
export class Carrier {
  readonly #options: CarrierOptions
  /** `#cursor` is how far this server has read; `#known` is the stored cursor that it started from. */
  #cursor = ''
  #known = ''
  #leadsUntilMs = 0
  #keptAtMs = 0
  #hasMoved = false
  #isWiped = false
  /** When another server's lease ends, as known when this server first heard of a wiped engine. */
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

  /** The engine may have lost what was carried, so everything is carried again. */
  beginAgain(): void {
    this.#isWiped = true
    this.#otherLeadsUntilMs = undefined
  }

  /** Carries everything that is due. Rejects if the outbox or the engine fails; the next call continues without a gap. */
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

  /** How many rows are still to be carried. */
  async countBehind(): Promise<number> {
    const { outbox } = this.#options
    const kept = this.isLeading ? this.#known : (await outbox.look()).cursor
    return outbox.countAfter(kept === this.#known ? this.#cursor : kept)
  }

  /** Stores the cursor and gives the lease back, so that another server can continue at once. */
  async leave(): Promise<void> {
    if (!this.isLeading) return
    this.#leadsUntilMs = 0
    await this.#options.outbox.leave(this.#cursor)
  }

  #follow(heldForMs: number): Rest {
    this.#leadsUntilMs = 0
    // A leader that is alive hears of the wiped engine too: its lease is renewed while it begins again, so this server
    // need not. The lease of a dead leader only runs out.
    const untilMs = this.#options.now() + heldForMs
    this.#otherLeadsUntilMs ??= untilMs
    if (untilMs - this.#otherLeadsUntilMs > KEEP_EVERY_MS / 2) this.#isWiped = false
    return { ms: heldForMs + jitter(0, heldForMs / 10, this.#options.random), isWaking: false }
  }

  /**
   * Takes over the stored cursor. If it is the one that this server started from, its own cursor is further: a cursor
   * is not stored for rows that had nothing to carry.
   */
  #goOnFrom(kept: string): void {
    if (kept === this.#known) return
    this.#known = kept
    this.#cursor = kept
    this.#hasMoved = false
  }

  /**
   * Takes the lease if this server does not hold it. Undefined: carry the page that was read. `moved`: another server
   * has moved the stored cursor, so read the page again. A `Rest`: another server leads.
   */
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
    // Nothing was carried yet, so there is nothing to repeat.
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
   * Sends one batch after the other, so that no copy overtakes one that has to be sent again. False if this server no
   * longer leads: a page may take longer than a lease, and the process may have been stopped for longer than one.
   */
  async #carry(copies: readonly Copy[]): Promise<boolean> {
    for (const batch of inBatches(copies)) {
      if (this.#options.isStopped()) return false
      if (this.#isKeepDue() && !(await this.#keep())) return false
      await this.#carryBatch(batch)
      this.#carried += batch.length
    }
    return true
  }

  /** Renews the lease while the engine is slow. Otherwise two servers could take over from each other for ever. */
  async #carryBatch(batch: readonly Copy[]): Promise<void> {
    let keeping: Promise<unknown> = Promise.resolve()
    const timer = setInterval(() => {
      keeping = keeping.then(() => this.#keep()).catch(() => {})
    }, KEEP_EVERY_MS)
    try {
      await this.#options.engine.carry(batch)
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
    // A relay that is closing gives its lease back and must not renew it.
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

function* inBatches(copies: readonly Copy[]): Generator<readonly Copy[]> {
  let batch: Copy[] = []
  let characters = 0
  for (const copy of copies) {
    batch.push(copy)
    characters += copy.message.content.length
    if (batch.length < IN_FLIGHT && characters < IN_FLIGHT_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}
