/** Rung with every broadcast, whoever it reaches. */
export const RING_ALL = '@all'

/** Rung when a delivery has moved on, for those who wait for a receipt. */
export const RING_RECEIPTS = '@receipts'

/** Rung when a question has ended, for those who wait for its answer. */
export const RING_DECISIONS = '@decisions'

/** Rung with everything else that is rung, for those who follow events. */
export const RING_EVENTS = '@events'
