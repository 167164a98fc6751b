import { monotonicMs } from '../../kit/node/monotonic.ts'
import { type Backoff, createBackoff, type Random } from '../../kit/pure/backoff.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Note } from '../../wires/redis/connection.ts'
import { createListIntake, type IntakeOptions, type ListEntry, type ListIntake } from '../../wires/redis/list-intake.ts'
import type { RedisWire } from '../../wires/redis/redis-wire.ts'
import type { Listener } from '../../wires/wire.ts'
import { type Loop, startLoop } from '../loop.ts'

/** The fate of an entry. A `kept` one stays in Redis and is tried again. */
export type ListVerdict = 'done' | 'kept' | { readonly fault: string }

export interface ListIntakeOptions extends IntakeOptions {
  readonly wire: Pick<RedisWire, 'use' | 'listen'>
  readonly note: Note
  readonly random: Random
  /** The agents whose lists are taken in, and those whose lists foreign consumers read. */
  roster(): Promise<{ readonly in: readonly string[]; readonly out: readonly string[] }>
  /**
   * Stores entries of an agent, in order, and returns the verdict on each. Rejects if none of them was stored. An entry
   * with the same ticket is the same entry, so storing it again is safe.
   */
  store(agent: string, entries: readonly ListEntry[]): Promise<readonly ListVerdict[]>
  /** Rejects if the store cannot be used at all. Then no entry is to blame. */
  check(): Promise<void>
}

const POLL_MS = 200
/** How many lists one poll reads. If there are more, the polls take turns. */
const POLLED_LISTS = 10_000
/** Rings within this time are handled together: our own servers ring on the same channels with every push. */
const GATHER_MS = 10
const ROSTER_MS = 5_000
const AGENTS_AT_ONCE = 8
const BATCHES_PER_AGENT = 10
/** An entry that fails this often by itself is refused. */
const STRIKES = 3
const LISTENED_AGENTS = 1_000
const RETRY = { minMs: 250, maxMs: 5_000 }

/** Takes in the lists of foreign producers until it is closed. */
export function startListIntake(options: ListIntakeOptions): Loop {
  return new ListIntakeLoop(options)
}

interface Trouble {
  readonly backoff: Backoff
  until: number
}

class ListIntakeLoop implements Loop {
  readonly #options: ListIntakeOptions
  readonly #intake: ListIntake
  readonly #loop: Loop
  readonly #rung = new Set<string>()
  readonly #troubles = new Map<string, Trouble>()
  /** Why entries of an agent cannot be taken, as it was noted. */
  readonly #noted = new Map<string, string>()
  readonly #strikes = new Map<string, number>()
  #roster: Awaited<ReturnType<ListIntakeOptions['roster']>> = { in: [], out: [] }
  #rosterAt = Number.NEGATIVE_INFINITY
  #listener: { readonly names: string; readonly opened: Listener } | undefined
  #isFailing = false
  #polledAt = Number.NEGATIVE_INFINITY
  #turn = 0
  #isGathering = false
  #isClosed = false
  /** Somebody has called `wake` since the last round began. */
  #isWoken = false

  constructor(options: ListIntakeOptions) {
    this.#options = options
    this.#intake = createListIntake(options.wire.use, options)
    this.#loop = startLoop({ run: () => this.#round(), isBackground: true })
  }

  /** Reads the roster and every list now. */
  wake(): void {
    this.#isWoken = true
    this.#loop.wake()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#loop.close()
    await this.#listener?.opened.close()
  }

  async #round(): Promise<number> {
    if (this.#isWoken) {
      this.#rosterAt = Number.NEGATIVE_INFINITY
      this.#polledAt = Number.NEGATIVE_INFINITY
    }
    this.#isWoken = false
    const isMore = await this.#pass().catch((error: unknown) => this.#failed(error))
    return isMore ? 0 : POLL_MS
  }

  /** Takes from every list that has entries; true if some list has more than was taken now. */
  async #pass(): Promise<boolean> {
    const left = await this.#refreshRoster()
    const rung = [...this.#rung]
    this.#rung.clear()
    const found = await this.#poll()
    this.#isFailing = false
    const now = monotonicMs()
    const due = [...new Set([...rung, ...found, ...left])].filter(
      (agent) => (this.#troubles.get(agent)?.until ?? now) <= now,
    )
    let isMore = false
    for (let at = 0; at < due.length && !this.#isClosed; at += AGENTS_AT_ONCE) {
      const taken = await Promise.all(due.slice(at, at + AGENTS_AT_ONCE).map((agent) => this.#takeAll(agent)))
      isMore ||= taken.some(Boolean)
    }
    return isMore
  }

  /** Finds lists that have entries. A ring does not make polls more frequent: only the rung lists are read for it. */
  async #poll(): Promise<readonly string[]> {
    if (monotonicMs() - this.#polledAt < POLL_MS / 2) return []
    const agents = this.#roster.in
    if (this.#turn >= agents.length) this.#turn = 0
    const found = await this.#intake.look(agents.slice(this.#turn, this.#turn + POLLED_LISTS), 'list')
    this.#turn += POLLED_LISTS
    this.#polledAt = monotonicMs()
    return found
  }

  /**
   * Reads the roster if it is due. Returns the agents with entries that were taken, by any server, but are not stored
   * yet.
   */
  async #refreshRoster(): Promise<readonly string[]> {
    if (monotonicMs() - this.#rosterAt < ROSTER_MS) return [...this.#troubles.keys()]
    this.#roster = await this.#options.roster()
    await this.#listen(this.#roster.in.slice(0, LISTENED_AGENTS))
    const left = await this.#intake.look([...this.#roster.in, ...this.#roster.out], 'taking')
    this.#rosterAt = monotonicMs()
    return [...this.#troubles.keys(), ...left]
  }

  /** Listens for producers that publish after a push, so that their entries need not wait for the next poll. */
  async #listen(names: readonly string[]): Promise<void> {
    const wanted = names.join(' ')
    if (this.#listener?.names === wanted) return
    const opened = await this.#options.wire.listen(names, (rung) => {
      for (const name of rung) this.#rung.add(name)
      if (this.#isGathering) return
      this.#isGathering = true
      setTimeout(() => {
        this.#isGathering = false
        this.#loop.wake()
      }, GATHER_MS).unref()
    })
    await this.#listener?.opened.close()
    this.#listener = { names: wanted, opened }
  }

  async #takeAll(agent: string): Promise<boolean> {
    const isLeftOnly = !this.#roster.in.includes(agent)
    if (isLeftOnly && !this.#roster.out.includes(agent)) {
      this.#recovered(agent)
      return false
    }
    try {
      for (let batch = 0; batch < BATCHES_PER_AGENT && !this.#isClosed; batch++) {
        const { entries, oversized, isBusy } = await this.#intake.take(agent, { isLeftOnly })
        if (oversized > 0) this.#refused(agent, oversized, 'it is too large')
        if (isBusy === 'outlet') this.#options.note('redis.bothWays', { agent })
        if (entries.length === 0) {
          if (oversized > 0) continue
          // Another server is busy with this list. If that server dies, its entries are found once they are old.
          if (isBusy === 'outlet') this.#postpone(agent)
          else this.#recovered(agent)
          return false
        }
        if (!(await this.#storeBatch(agent, entries))) return false
      }
      return true
    } catch (error) {
      this.#noteTrouble(agent, reasonOf(error))
      this.#postpone(agent)
      return false
    }
  }

  /** Stores a batch and removes it from Redis. False if some entries have to wait. */
  async #storeBatch(agent: string, entries: readonly ListEntry[]): Promise<boolean> {
    const verdicts = await this.#store(agent, entries)
    const withVerdict = entries.map(({ ticket }, at) => ({ ticket, verdict: verdicts[at] ?? 'kept' }))
    const done = withVerdict.filter(({ verdict }) => verdict === 'done').map(({ ticket }) => ticket)
    const refused = withVerdict.filter(({ verdict }) => typeof verdict === 'object').map(({ ticket }) => ticket)
    const faults = withVerdict.flatMap(({ verdict }) => (typeof verdict === 'object' ? [verdict.fault] : []))
    for (const [fault, alike] of Map.groupBy(faults, String)) this.#refused(agent, alike.length, fault)
    await this.#intake.settle(agent, { done, refused })
    for (const ticket of [...done, ...refused]) this.#strikes.delete(ticket)
    if (done.length + refused.length === entries.length) {
      this.#recovered(agent)
      return true
    }
    const count = entries.length - done.length - refused.length
    if (!this.#troubles.has(agent)) this.#options.note('redis.intakeWaits', { agent, count })
    this.#postpone(agent)
    return false
  }

  /**
   * Stores the entries together. If the store works but rejects the batch, one entry may be to blame: then each is
   * stored by itself, and one that fails repeatedly is refused. No entry overtakes one that may still be stored.
   */
  async #store(agent: string, entries: readonly ListEntry[]): Promise<readonly ListVerdict[]> {
    try {
      return await this.#options.store(agent, entries)
    } catch (error) {
      await this.#options.check()
      this.#noteTrouble(agent, reasonOf(error))
    }
    const verdicts: ListVerdict[] = []
    for (const entry of entries) {
      const verdict = await this.#storeAlone(agent, entry)
      verdicts.push(verdict)
      if (verdict === 'kept') break
    }
    return verdicts
  }

  async #storeAlone(agent: string, entry: ListEntry): Promise<ListVerdict> {
    try {
      return (await this.#options.store(agent, [entry]))[0] ?? 'kept'
    } catch (error) {
      await this.#options.check()
      const strikes = (this.#strikes.get(entry.ticket) ?? 0) + 1
      this.#strikes.set(entry.ticket, strikes)
      return strikes >= STRIKES ? { fault: reasonOf(error) } : 'kept'
    }
  }

  /** Notes once why an agent's entries cannot be taken, for as long as that is so. */
  #noteTrouble(agent: string, reason: string): void {
    if (this.#noted.get(agent) === reason) return
    this.#noted.set(agent, reason)
    this.#options.note('redis.intakeFailed', { agent, error: reason })
  }

  #recovered(agent: string): void {
    this.#troubles.delete(agent)
    this.#noted.delete(agent)
  }

  #postpone(agent: string): void {
    const trouble = this.#troubles.get(agent) ?? {
      backoff: createBackoff({ ...RETRY, random: this.#options.random }),
      until: 0,
    }
    trouble.until = monotonicMs() + trouble.backoff.next()
    this.#troubles.set(agent, trouble)
  }

  #refused(agent: string, count: number, fault: string): void {
    this.#options.note('redis.refused', { agent, count, fault })
  }

  /** Notes a failure once, however long it lasts. The wire itself notes when it is lost and when it is back. */
  #failed(error: unknown): false {
    if (!this.#isFailing) this.#options.note('redis.intakeFailed', { error: reasonOf(error) })
    this.#isFailing = true
    return false
  }
}
