import type { Delivery } from './delivery.ts'
import type { Message } from './message.ts'

/** One entry of a delivery's evidence trail. */
export interface ReceiptStep {
  readonly step: string
  readonly at: number
  readonly attempt: number | null
  /** What shows that it happened: a commit, a session's next event, an agent's own word. */
  readonly evidence: string
  readonly by: string | null
  readonly sessionId: string | null
}

/** What a printed offer shows of a message: all of it, or so little that a reader must fetch the rest. */
export const PRINTED_EVIDENCE = {
  evidence: 'the text was written out whole',
  ofHeadline: 'only its headline was shown',
} as const

/** The step by which it is known that a foreign consumer has taken a message from where it was put out for it. */
export const POPPED_STEP = 'popped'

export interface DeliveryTrace extends Delivery {
  /** Until when the present offer lasts; null where there is none. */
  readonly leaseExpiresAt: number | null
  /** When this inbox was last rung, as far as the wire knows. */
  readonly rungAt: number | null
  readonly steps: readonly ReceiptStep[]
}

/** Everything that is known of one message, and in words why it has not been seen. */
export interface Trace {
  readonly message: Message
  readonly deliveries: readonly DeliveryTrace[]
  readonly why: string
}

/** How far a sender may wait for a message to come. */
export const RECEIPT_STAGES = ['stored', 'offered', 'seen', 'acted'] as const
export type ReceiptStage = (typeof RECEIPT_STAGES)[number]
