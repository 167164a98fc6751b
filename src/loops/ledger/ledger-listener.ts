import type { Context, Ledgers } from '../../core/context.ts'
import { listenerLease, listenOnce, topicsToFollow } from '../../core/ledger/listen.ts'
import { publishDue } from '../../core/ledger/publisher.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { machineName } from '../../kit/node/processes.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { createSemaphore } from '../../kit/pure/semaphore.ts'
import { createLeadership, LEASE_MS, type Leadership } from '../leadership.ts'
import { type Loop, startLoop } from '../loop.ts'
import { type FollowedTopic, FollowedTopics } from './followed-topics.ts'
import { createHints, type Hints, MOST_HINTED } from './hints.ts'

/** Follows the topics of a remote ledger and publishes what is due there. The local ledger needs none. */
export interface LedgerListener extends Loop {
  status(): LedgerListenerStatus
}

export interface LedgerListenerStatus {
  /** Whether this server is the one that listens now. */
  readonly isLeading: boolean
  readonly topics: number
  readonly entries: number
  readonly messages: number
  readonly published: number
  /** Topics with missing entries, or with entries whose hashes do not match. */
  readonly troubled: readonly { readonly topic: string; readonly trouble: string }[]
}

export function startLedgerListener(ctx: Context): LedgerListener {
  return new LoopingListener(ctx)
}

const REFRESH_MS = 5_000
/** How many topics are read at once, and how many batches of one topic before the next topic gets its turn. */
const AT_ONCE = 4
const BATCHES = 20
const PUBLISH_MS = 1_000
const PARCELS = 100

class LoopingListener implements LedgerListener {
  readonly #ctx: Context
  readonly #topics = new FollowedTopics()
  readonly #failing = new Set<string>()
  readonly #counts = { entries: 0, messages: 0, published: 0 }
  readonly #opened: Promise<void>
  #leadership: Leadership | undefined
  #hints: Hints | undefined
  #listener: Loop | undefined
  #loops: readonly Loop[] = []
  #refreshedAtMs = Number.NEGATIVE_INFINITY
  /** Somebody has called `wake` since the last round of the listener began. */
  #isWoken = false
  #closing: Promise<void> | undefined

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#opened = this.#open().catch((error: unknown) => ctx.note('ledger.closed', { error: reasonOf(error) }))
  }

  status(): LedgerListenerStatus {
    return {
      isLeading: this.#leadership?.isLeading ?? false,
      topics: this.#topics.size,
      ...this.#counts,
      troubled: this.#topics.troubled,
    }
  }

  /** Reads every topic now, and publishes what is due. */
  wake(): void {
    this.#isWoken = true
    for (const loop of this.#loops) loop.wake()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #open(): Promise<void> {
    const ledgers = await this.#ctx.ledger()
    if (ledgers.ledger.within || this.#closing) return
    const { store, newId } = this.#ctx
    const { network } = ledgers.ledger
    const leadership = createLeadership({ store, name: listenerLease(network), holder: newId(machineName()) })
    this.#leadership = leadership
    this.#hints = createHints({ ledger: ledgers.ledger, nowMs: monotonicMs, onHint: (id) => this.#hear(id) })
    // If this fails, the loop retries.
    await leadership.check().catch(() => false)
    this.#listener = this.#loop('listen', () => (leadership.isLeading ? this.#listen(ledgers) : this.#follow()))
    this.#loops = [
      this.#listener,
      this.#loop('lead', async () => {
        await leadership.check()
        return LEASE_MS / 3
      }),
      this.#loop('publish', () => (leadership.isLeading ? this.#publish(ledgers) : Promise.resolve(PUBLISH_MS))),
    ]
  }

  #loop(task: string, run: () => Promise<number>): Loop {
    return startLoop({
      run,
      onFailure: (error) => this.#ctx.note('ledger.failed', { task, error: reasonOf(error) }),
      onRecovery: () => this.#ctx.note('ledger.resumed', { task }),
    })
  }

  async #close(): Promise<void> {
    await this.#opened
    this.#hints?.close()
    await Promise.all(this.#loops.map((loop) => loop.close()))
    await this.#leadership
      ?.leave()
      .catch((error: unknown) => this.#ctx.note('ledger.failed', { task: 'leave', error: reasonOf(error) }))
  }

  /** Ends the subscriptions while another server listens. */
  async #follow(): Promise<number> {
    this.#hints?.follow([])
    this.#refreshedAtMs = Number.NEGATIVE_INFINITY
    return PUBLISH_MS
  }

  #hear(topicId: string): void {
    this.#topics.hint(topicId, monotonicMs())
    this.#listener?.wake()
  }

  async #listen(ledgers: Ledgers): Promise<number> {
    if (this.#isWoken) {
      this.#refreshedAtMs = Number.NEGATIVE_INFINITY
      this.#topics.hintAll(monotonicMs())
    }
    this.#isWoken = false
    await this.#refresh(ledgers)
    const inTurn = createSemaphore(AT_ONCE)
    const due = this.#topics.due(monotonicMs())
    const looks = await Promise.allSettled(due.map((topic) => inTurn(() => this.#look(ledgers, topic))))
    const failed = due.flatMap((topic, at) => (looks[at]?.status === 'rejected' ? [{ topic, ...looks[at] }] : []))
    for (const { topic, reason } of failed) this.#postpone(topic, reason)
    const isAll = failed.length === looks.length && (failed.length > 1 || this.#topics.size === 1)
    if (isAll && failed[0]) throw failed[0].reason
    const nextMs = Math.min(this.#topics.nextDueMs(), this.#refreshedAtMs + REFRESH_MS)
    return Math.max(0, nextMs - monotonicMs())
  }

  /** Polls a topic that failed less often. The other topics are not affected. */
  #postpone(topic: FollowedTopic, reason: unknown): void {
    if (!this.#failing.has(topic.id)) this.#ctx.note('ledger.look_failed', { topic: topic.id, error: reasonOf(reason) })
    this.#failing.add(topic.id)
    this.#topics.recordRead(topic, { entries: 0, trouble: topic.trouble }, monotonicMs())
  }

  async #refresh(ledgers: Ledgers): Promise<void> {
    if (monotonicMs() - this.#refreshedAtMs < REFRESH_MS) return
    const { network } = ledgers.ledger
    this.#topics.refresh(await topicsToFollow(this.#ctx, network), monotonicMs())
    this.#refreshedAtMs = monotonicMs()
    const hinted: { id: string; after: number }[] = []
    for (const { id } of this.#topics.busiest(MOST_HINTED)) {
      hinted.push({ id, after: (await this.#ctx.store.read.ledger.getTopic({ id }))?.sequence ?? 0 })
    }
    if (!this.#closing) this.#hints?.follow(hinted)
  }

  async #look(ledgers: Ledgers, topic: FollowedTopic): Promise<void> {
    let found = 0
    for (let batch = 0; batch < BATCHES && !this.#closing; batch++) {
      const { entries, messages, state } = await listenOnce(this.#ctx, ledgers, topic.id)
      this.#failing.delete(topic.id)
      found += entries
      this.#counts.entries += entries
      this.#counts.messages += messages
      if (state === 'more') continue
      this.#noteState(topic, state)
      return this.#topics.recordRead(topic, { entries: found, trouble: state === 'done' ? null : state }, monotonicMs())
    }
    this.#topics.recordRead(topic, { entries: found, trouble: null }, monotonicMs())
  }

  /** Notes a gap once, and its end once. */
  #noteState({ id, trouble }: FollowedTopic, state: 'done' | 'gap' | 'broken'): void {
    if (state === 'gap' && trouble !== 'gap') this.#ctx.note('ledger.gap', { topic: id })
    if (state === 'done' && trouble !== null) this.#ctx.note('ledger.whole', { topic: id })
  }

  async #publish(ledgers: Ledgers): Promise<number> {
    const { published, lanes } = await publishDue(this.#ctx, ledgers, { limit: PARCELS })
    this.#counts.published += published
    for (const lane of lanes) this.#hear(lane)
    return published > 0 ? 0 : PUBLISH_MS
  }
}
