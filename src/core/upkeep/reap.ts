import { ulidFloor } from '../../kit/pure/ulid.ts'
import { expireUnanswerable } from '../gates/unanswerable.ts'
import { type RunSlice, SLICE } from './slice.ts'

const SECOND_MS = 1_000

/** So long, and about so many, events are kept; never longer than the messages that they tell of. */
const EVENTS_MS = 7 * 24 * 3_600 * SECOND_MS
const EVENTS_KEPT = 200_000
/** They are small. */
const EVENTS_SLICE = 5_000

/** So long a request may be repeated with its key. */
const REPLIES_MS = 24 * 3_600 * SECOND_MS

/** Removes what has been finished for longer than the retention. */
export const reapFinished: RunSlice = async (ctx, tx) => {
  const finishedBefore = ctx.store.ago(ctx.limits.retentionMs)
  const begunBefore = ctx.store.ago(REPLIES_MS)
  const counts = [
    await tx.upkeep.forgetSessions({ unheardSince: finishedBefore, limit: SLICE }),
    await tx.gates.reap({ closedBefore: finishedBefore, limit: SLICE }),
    await tx.plans.reap({ finishedBefore, limit: SLICE }),
    await tx.replies.reap({ begunBefore, limit: SLICE }),
    await tx.ledger.reapParcels({ before: finishedBefore, limit: SLICE }),
    await tx.ledger.reapTransactions({ before: begunBefore, limit: SLICE }),
  ]
  const idBefore = `msg_${ulidFloor(finishedBefore)}`
  const { removed, hasMore } = await tx.upkeep.reap({ finishedBefore, idBefore, limit: SLICE })
  return { done: removed, hasMore: hasMore || counts.includes(SLICE), rings: [] }
}

/** Ends gates for a reply that cannot come. A slice of its own, because gates are locked before inboxes. */
export const endUnanswerable: RunSlice = async (ctx, tx) => {
  const rings = await expireUnanswerable(ctx, tx, SLICE)
  return { done: 0, hasMore: false, rings }
}

/** Removes old events. */
export const reapEvents: RunSlice = async (ctx, tx) => {
  const before = ctx.store.ago(Math.min(EVENTS_MS, ctx.limits.retentionMs))
  const done = await tx.events.reap({ before, keep: EVENTS_KEPT, limit: EVENTS_SLICE })
  return { done, hasMore: done === EVENTS_SLICE, rings: [] }
}

const INDEX_SLICE = 1_000

/** Indexes messages for the search. */
export const indexMessages: RunSlice = async (_, tx) => {
  const hasMore = await tx.messages.indexForSearch({ limit: INDEX_SLICE })
  return { done: 0, hasMore, rings: [] }
}
