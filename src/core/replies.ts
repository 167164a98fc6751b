import type { Replies } from '../model/network/replies.ts'
import type { Store } from '../store/store.ts'

/** Whoever took a key and did not answer within this time has died over it. */
const ABANDONED_MS = 60_000

export function createReplies(store: Pick<Store, 'single' | 'transact' | 'now'>): Replies {
  return {
    claim: (input) =>
      store.transact((tx) => {
        const at = store.now()
        return tx.replies.claim({ ...input, at, abandonedBefore: at - ABANDONED_MS })
      }),
    keep: (input) => store.single((tx) => tx.replies.keep(input)),
    drop: (input) => store.single((tx) => tx.replies.drop(input)),
  }
}
