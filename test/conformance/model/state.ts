import type { DeliveryState } from '../../../src/model/delivery.ts'
import type { ErrorCode } from '../../../src/model/errors.ts'
import type { Priority } from '../../../src/model/priority.ts'

/**
 * What Postern does, in as few words as possible: agents, messages, deliveries, offers and a clock. It has no store
 * and no concurrency; it only says where everything must be. `commands.ts` does the same to it and to a Postern.
 */
export interface Model {
  now: number
  readonly limits: ModelLimits
  readonly agents: Map<string, { isRemoved: boolean; seq: number; cursor: number }>
  readonly messages: Map<number, ModelMessage>
  deliveries: ModelDelivery[]
  readonly offers: ModelOffer[]
  readonly sessions: Map<string, { endedAt: number | null; heardAt: number }>
  readonly ranAt: Map<string, number>
  /** How many messages, and how many broadcasts, there have ever been. */
  counted: number
  broadcasts: number
}

export interface ModelLimits {
  readonly attempts: number
  readonly pendingPerAgent: number
  readonly drainMessages: number
  readonly unprintedOfferMs: number
  readonly printedOfferMs: number
  readonly retentionMs: number
}

export interface Said {
  /** Agents; undefined for everybody. */
  readonly to: readonly string[] | undefined
  readonly from: string
  readonly content: string
  readonly priority: Priority
  readonly key: string | undefined
  readonly ttlMs: number | undefined
}

export interface ModelMessage extends Said {
  readonly number: number
  readonly broadcast: number
  readonly createdAt: number
  readonly expiresAt: number | null
  /** When a broadcast was taken back from everybody: whoever comes later is not shown it. */
  takenBackAt: number
}

export interface ModelDelivery {
  readonly message: ModelMessage
  readonly agent: string
  readonly seq: number
  expiresAt: number | null
  state: DeliveryState
  attempt: number
  finishedAt: number
  offer: ModelOffer | undefined
  /** Until when it was put off. */
  snoozedUntil: number | null
  /** Its time to live ended while it was put off, held or dead. */
  isLifted: boolean
  /** It was shown before it was put off, */
  wasSeen: boolean
  /** by this attempt; zero where it was not. */
  seenAttempt: number
}

export interface ModelOffer {
  readonly agent: string
  readonly session: string | undefined
  readonly via: string
  printedAt: number | null
  expiresAt: number
  closedAt: number
  /** `gone`: given back, or forgotten together with its messages. */
  outcome: 'confirmed' | 'gone' | undefined
}

/** What a command must answer: a value to compare, or the code of a refusal, where others may be as good. */
export type Answer<T> = { readonly value: T } | { readonly refused: ErrorCode; readonly or?: readonly ErrorCode[] }

export const ok = <T>(value: T): Answer<T> => ({ value })
export const no = (refused: ErrorCode): Answer<never> => ({ refused })
export const MOVED = ok(undefined)

/** Whatever is refused in the end leaves no trace: it is tried on a copy first. */
export function allOrNothing<T>(model: Model, act: (model: Model) => Answer<T>): Answer<T> {
  const rehearsed = act(structuredClone(model))
  return 'refused' in rehearsed ? rehearsed : act(model)
}

export function finish(model: Model, delivery: ModelDelivery, state: DeliveryState): void {
  Object.assign(delivery, { state, finishedAt: model.now, snoozedUntil: null })
}

export function isLapsed(model: Model, offer: ModelOffer): boolean {
  return !offer.outcome && offer.expiresAt <= model.now
}

export function isOver(model: Model, { expiresAt, isLifted }: ModelDelivery): boolean {
  return !isLifted && expiresAt !== null && expiresAt <= model.now
}

export function inboxOf(model: Model, agent: string): ModelDelivery[] {
  return model.deliveries.filter((delivery) => delivery.agent === agent)
}

export function pendingOf(model: Model, agent: string): ModelDelivery[] {
  return inboxOf(model, agent).filter(({ state }) => state === 'pending')
}

export function present(model: Model, id: string): { isRemoved: boolean; seq: number; cursor: number } | undefined {
  const agent = model.agents.get(id)
  return agent?.isRemoved ? undefined : agent
}
