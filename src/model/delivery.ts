import type { Message } from './message.ts'

/**
 * One message on its way to one agent. Whether something arrived is known only here: the message itself never changes.
 *
 *   pending ─offer→ offered ─confirm→ seen ─ack→ acted
 *      ↑ ──release / lapse──┘
 *   pending ─→ held, expired, cancelled, dead (damaged) · offered ─too many attempts→ dead ─retry→ pending · held ─release→ pending
 *   pending, offered, seen ─snooze→ held ─its time has come→ pending · expired, cancelled ─pushed again under its key→ pending, held
 *
 * To ack what was only offered is to have seen it: both steps are recorded. An offered delivery is cancelled only when its
 * agent is removed. Whoever puts off what was only offered has seen it too; it comes back like a new one.
 */
export const DELIVERY_MOVES = {
  pending: ['offered', 'expired', 'held', 'cancelled', 'dead'],
  offered: ['seen', 'pending', 'expired', 'dead', 'cancelled', 'held'],
  seen: ['acted', 'held'],
  acted: [],
  held: ['pending', 'cancelled'],
  expired: ['pending', 'held'],
  cancelled: ['pending', 'held'],
  dead: ['pending'],
} as const satisfies Record<string, readonly string[]>

export type DeliveryState = keyof typeof DELIVERY_MOVES

export const DELIVERY_STATES = Object.keys(DELIVERY_MOVES) as readonly DeliveryState[]

/** States that wait for nobody any more: once they have been finished for the retention time, the reaper takes them. */
export const FINISHED_STATES: readonly DeliveryState[] = ['seen', 'acted', 'expired', 'cancelled', 'dead']

export interface Delivery {
  readonly agent: string
  readonly state: DeliveryState
  /** The place in this inbox: commit order, on every engine. */
  readonly inboxSeq: number
  /** How often it was shown, or may have been. An offer that was released unprinted does not count. */
  readonly attempt: number
  readonly storedAt: number
  readonly offeredAt: number | null
  readonly printedAt: number | null
  readonly seenAt: number | null
  readonly actedAt: number | null
  readonly expiresAt: number | null
  readonly offerId: string | null
  readonly sessionId: string | null
  /** It was put off until this time; null where it was not. */
  readonly snoozedUntilAt: number | null
}

/** A message as its recipient meets it. */
export interface InboxMessage extends Message {
  readonly agent: string
  readonly state: DeliveryState
  readonly attempt: number
  readonly inboxSeq: number
  /** Until when it may be shown to this agent: null where there is no time to live, or one that ended was lifted. */
  readonly expiresAt: number | null
  /** In lists, where it was put off until a time. */
  readonly snoozedUntilAt?: number
}

/** How a drained message is put before its reader. A headline names what did not fit and how to fetch it. */
export type ShownForm = 'whole' | 'headline'

export interface ShownMessage extends InboxMessage {
  readonly form: ShownForm
}
