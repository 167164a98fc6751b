import type { Ledger } from '../../ledger/ledger.ts'

/** A mirror allows no more subscriptions on one connection. */
export const MOST_HINTED = 5
const RETRY_MS = 15_000

export interface Hints {
  /** Subscribes to the first few of these topics, and ends all other subscriptions. */
  follow(topics: readonly { readonly id: string; readonly after: number }[]): void
  close(): void
}

export interface HintOptions {
  readonly ledger: Ledger
  readonly onHint: (topicId: string) => void
  readonly nowMs: () => number
}

/** Subscriptions that hint at new entries. They only make the listener read sooner; it also polls. */
export function createHints({ ledger, onHint, nowMs }: HintOptions): Hints {
  const open = new Map<string, { close(): void }>()
  const endedAtMs = new Map<string, number>()

  function begin(topicId: string, after: number): void {
    const onEnd = () => {
      open.delete(topicId)
      endedAtMs.set(topicId, nowMs())
      onHint(topicId)
    }
    // Registered first, because `subscribe` may call `onEnd` before it returns.
    open.set(topicId, { close: () => {} })
    const subscription = ledger.subscribe({ topicId, after, onEntry: () => onHint(topicId), onEnd })
    if (open.has(topicId)) open.set(topicId, subscription)
    else subscription.close()
  }

  function mayRetry(topicId: string): boolean {
    return nowMs() - (endedAtMs.get(topicId) ?? -RETRY_MS) >= RETRY_MS
  }

  return {
    follow(topics) {
      const wanted = topics.slice(0, MOST_HINTED)
      for (const [id, subscription] of open) {
        if (wanted.some((topic) => topic.id === id)) continue
        open.delete(id)
        subscription.close()
      }
      for (const { id, after } of wanted) if (!open.has(id) && mayRetry(id)) begin(id, after)
    },
    close() {
      for (const subscription of open.values()) subscription.close()
      open.clear()
    },
  }
}
