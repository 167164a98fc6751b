import type { DeliveryState } from '../../../src/model/delivery.ts'
import { takeUp } from './messages.ts'
import type { Answer, Model, ModelDelivery } from './state.ts'
import { finish, isOver, MOVED, no, present } from './state.ts'

/** What was put off and whose time has come is pending again. */
export function wakeDue(model: Model, agent?: string): void {
  for (const delivery of model.deliveries) {
    const { snoozedUntil } = delivery
    if (agent !== undefined && delivery.agent !== agent) continue
    if (snoozedUntil !== null && snoozedUntil <= model.now) wake(model, delivery)
  }
}

/** A time to live that ended while it was put off counts no more. */
function wake(model: Model, delivery: ModelDelivery): void {
  const { expiresAt, snoozedUntil } = delivery
  const endsAt = expiresAt ?? Number.POSITIVE_INFINITY
  if (endsAt <= Math.min(model.now, snoozedUntil ?? 0)) delivery.isLifted = true
  finish(model, delivery, 'pending')
}

/** Whoever picks a message looks at the inbox first, whatever becomes of it. */
function pickOne(model: Model, number: number, agent: string): Answer<ModelDelivery> {
  if (!present(model, agent)) return no('AGENT_NOT_FOUND')
  takeUp(model, agent)
  wakeDue(model, agent)
  if (!model.messages.has(number)) return no('MESSAGE_NOT_FOUND')
  const delivery = model.deliveries.find((each) => each.message.number === number && each.agent === agent)
  return delivery ? { value: delivery } : no('DELIVERY_NOT_FOUND')
}

export function read(model: Model, number: number, agent: string): Answer<undefined> {
  const picked = pickOne(model, number, agent)
  if ('refused' in picked) return picked
  const { value: delivery } = picked
  if (delivery.state !== 'pending' || isOver(model, delivery)) return MOVED
  delivery.attempt++
  delivery.offer = undefined
  finish(model, delivery, 'seen')
  return MOVED
}

const AWAKE: readonly DeliveryState[] = ['pending', 'offered', 'seen']

/** Without a time it is taken up again. */
export function snooze(model: Model, number: number, agent: string, ms: number | null): Answer<undefined> {
  const picked = pickOne(model, number, agent)
  if ('refused' in picked) return picked
  const { value: delivery } = picked
  const isAwake = AWAKE.includes(delivery.state)
  if (!isAwake && delivery.snoozedUntil === null) return no('DELIVERY_STATE')
  if (ms === null && isAwake) return MOVED
  if (ms === null) {
    wake(model, delivery)
    return MOVED
  }
  if (delivery.state === 'offered' || delivery.state === 'seen') {
    Object.assign(delivery, { wasSeen: true, seenAttempt: delivery.attempt })
  }
  finish(model, delivery, 'held')
  Object.assign(delivery, { snoozedUntil: model.now + ms, offer: undefined })
  return MOVED
}
