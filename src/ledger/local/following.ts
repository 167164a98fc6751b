import { coalesce } from '../../kit/pure/coalesce.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { LedgerShelf } from '../../store/store.ts'
import type { Subscribe } from '../ledger.ts'

/** Other processes write to the store too, and nobody tells us. */
const LOOK_MS = 1_000
const PAGE = 200

export interface Following {
  follow(params: Subscribe): { close(): void }
  wake(topicId: string): void
  close(): void
}

/** Those who follow topics. They look from time to time, and at once when they are woken. */
export function createFollowing(shelf: Pick<LedgerShelf, 'entriesAfter'>): Following {
  const followers = new Map<string, Set<Follower>>()

  return {
    follow(params) {
      const { topicId } = params
      const ofTopic = followers.get(topicId) ?? new Set()
      followers.set(topicId, ofTopic)
      const follower = startFollowing(shelf, params, () => {
        ofTopic.delete(follower)
        if (ofTopic.size === 0 && followers.get(topicId) === ofTopic) followers.delete(topicId)
      })
      ofTopic.add(follower)
      follower.look()
      return { close: follower.close }
    },

    wake(topicId) {
      for (const follower of followers.get(topicId) ?? []) follower.look()
    },

    close() {
      for (const ofTopic of [...followers.values()]) for (const follower of [...ofTopic]) follower.close()
    },
  }
}

interface Follower {
  look(): void
  close(): void
}

function startFollowing(
  shelf: Pick<LedgerShelf, 'entriesAfter'>,
  { topicId, after, onEntry, onEnd }: Subscribe,
  onClose: () => void,
): Follower {
  let place = after
  let isClosed = false
  const round = coalesce(async () => {
    for (let isMore = true; isMore && !isClosed; ) {
      const entries = await shelf.entriesAfter({ topicId, after: place, limit: PAGE })
      for (const entry of entries) {
        if (isClosed) return
        place = entry.sequence
        onEntry(entry)
      }
      isMore = entries.length === PAGE
    }
  })
  const close = () => {
    if (isClosed) return
    isClosed = true
    clearInterval(timer)
    onClose()
  }
  const look = () => {
    if (isClosed) return
    round().catch((error: unknown) => {
      if (isClosed) return
      close()
      onEnd(reasonOf(error))
    })
  }
  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  return { look, close }
}
