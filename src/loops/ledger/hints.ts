import type { Ledger } from '../../ledger/ledger.ts'

/** A mirror allows no more on one connection. */
export const MOST_HINTED = 5
const AGAIN_MS = 15_000

export interface Hints {
  /** Lets the ledger tell of these topics, as far as it can, and of no others. */
  follow(topics: readonly { readonly id: string; readonly after: number }[]): void
  close(): void
}

export interface HintOptions {
  readonly ledger: Ledger
  readonly onHint: (topicId: string) => void
  readonly nowMs: () => number
}

/** What a ledger tells by itself. Nobody relies on it: it only makes that somebody looks sooner. */
export function createHints({ ledger, onHint, nowMs }: HintOptions): Hints {
  const open = new Map<string, { close(): void }>()
  const endedAtMs = new Map<string, number>()

  function begin(topicId: string, after: number): void {
    const onEnd = () => {
      open.delete(topicId)
      endedAtMs.set(topicId, nowMs())
      onHint(topicId)
    }
    // It is there before the ledger can say that it has ended.
    open.set(topicId, { close: () => {} })
    const subscription = ledger.subscribe({ topicId, after, onEntry: () => onHint(topicId), onEnd })
    if (open.has(topicId)) open.set(topicId, subscription)
    else subscription.close()
  }

  function isRested(topicId: string): boolean {
    return nowMs() - (endedAtMs.get(topicId) ?? -AGAIN_MS) >= AGAIN_MS
  }

  return {
    follow(topics) {
      const wanted = topics.slice(0, MOST_HINTED)
      for (const [id, subscription] of open) {
        if (wanted.some((topic) => topic.id === id)) continue
        open.delete(id)
        subscription.close()
      }
      for (const { id, after } of wanted) if (!open.has(id) && isRested(id)) begin(id, after)
    },
    close() {
      for (const subscription of open.values()) subscription.close()
      open.clear()
    },
  }
}
