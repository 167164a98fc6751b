/** A topic that is followed, and when it is read next. */
export interface FollowedTopic {
  readonly id: string
  /** On the monotonic clock. */
  dueAtMs: number
  waitMs: number
  /** When entries were last found there; 0 if none ever were. */
  foundAtMs: number
  trouble: string | null
}

const BUSY_MS = 250
const IDLE_MS = 15_000
/** A topic whose hashes do not match is read rarely: only another mirror would help. */
const BROKEN_MS = 5 * 60_000

export class FollowedTopics {
  readonly #topics = new Map<string, FollowedTopic>()

  get size(): number {
    return this.#topics.size
  }

  get troubled(): readonly { readonly topic: string; readonly trouble: string }[] {
    return [...this.#topics.values()].flatMap(({ id, trouble }) => (trouble === null ? [] : [{ topic: id, trouble }]))
  }

  /** Adds topics that are new and removes those that are gone. */
  refresh(ids: ReadonlySet<string>, nowMs: number): void {
    for (const id of this.#topics.keys()) if (!ids.has(id)) this.#topics.delete(id)
    for (const id of ids) {
      if (!this.#topics.has(id))
        this.#topics.set(id, { id, dueAtMs: nowMs, waitMs: BUSY_MS, foundAtMs: 0, trouble: null })
    }
  }

  due(nowMs: number): readonly FollowedTopic[] {
    const due = [...this.#topics.values()].filter(({ dueAtMs }) => dueAtMs <= nowMs)
    return due.sort((one, other) => one.dueAtMs - other.dueAtMs)
  }

  nextDueMs(): number {
    return Math.min(...[...this.#topics.values()].map(({ dueAtMs }) => dueAtMs))
  }

  /** The topics with the most recent entries. */
  busiest(count: number): readonly FollowedTopic[] {
    return [...this.#topics.values()].sort((one, other) => other.foundAtMs - one.foundAtMs).slice(0, count)
  }

  /** Makes a topic due now, because it probably has new entries. */
  hint(id: string, nowMs: number): void {
    const topic = this.#topics.get(id)
    if (!topic || topic.trouble !== null) return
    topic.dueAtMs = Math.min(topic.dueAtMs, nowMs)
    topic.waitMs = BUSY_MS
  }

  hintAll(nowMs: number): void {
    for (const id of this.#topics.keys()) this.hint(id, nowMs)
  }

  /** Records a read of a topic, and sets when it is read next. */
  recordRead(
    topic: FollowedTopic,
    found: { readonly entries: number; readonly trouble: string | null },
    nowMs: number,
  ): void {
    const { entries, trouble } = found
    if (entries > 0) topic.foundAtMs = nowMs
    topic.waitMs = entries > 0 ? BUSY_MS : Math.min(IDLE_MS, topic.waitMs * 2)
    topic.trouble = trouble
    topic.dueAtMs = nowMs + (trouble === 'broken' ? BROKEN_MS : topic.waitMs)
  }
}
