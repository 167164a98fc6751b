import type { DeliveryState } from '../../../src/model/delivery.ts'
import { takeUp } from './messages.ts'
import { giveBack } from './offers.ts'
import { wakeDue } from './read-and-snooze.ts'
import type { Answer, Model, ModelDelivery } from './state.ts'
import { allOrNothing, finish, isLapsed, isOver, MOVED, no, ok, present } from './state.ts'

export function ack(model: Model, number: number, agent: string): Answer<undefined> {
  if (present(model, agent)) takeUp(model, agent)
  if (!model.messages.has(number)) return no('MESSAGE_NOT_FOUND')
  const delivery = model.deliveries.find((each) => each.message.number === number && each.agent === agent)
  if (!delivery) return no('DELIVERY_NOT_FOUND')
  if (delivery.state === 'acted') return MOVED
  if (delivery.state !== 'seen' && delivery.state !== 'offered') return no('DELIVERY_STATE')
  finish(model, delivery, 'acted')
  return MOVED
}

/** A broadcast is taken back from everybody, also from those who have not taken it up. */
export function cancel(model: Model, number: number): Answer<number> {
  return allOrNothing(model, (tried) => {
    const message = tried.messages.get(number)
    if (message?.broadcast) {
      for (const [id, { isRemoved }] of tried.agents) if (!isRemoved) takeUp(tried, id)
      message.takenBackAt = Math.min(message.takenBackAt, tried.now)
    }
    return moveAll(tried, number, ['pending', 'held'], 'cancelled')
  })
}

/** Moves a message's deliveries from one state to another, at least one of them; none is pending for who was removed. */
export function moveAll(
  model: Model,
  number: number,
  from: readonly DeliveryState[],
  to: DeliveryState,
): Answer<number> {
  if (!model.messages.has(number)) return no('MESSAGE_NOT_FOUND')
  const deliveries = model.deliveries.filter(({ message }) => message.number === number)
  if (deliveries.length === 0) return no('DELIVERY_NOT_FOUND')
  const found = deliveries.filter(({ state, wasSeen }) => from.includes(state) && !(to === 'cancelled' && wasSeen))
  const moved = found.filter(({ agent }) => to !== 'pending' || present(model, agent))
  for (const delivery of moved) {
    // A time to live that has ended is lifted.
    if (to === 'pending' && isOver(model, delivery)) delivery.isLifted = true
    finish(model, delivery, to)
  }
  if (moved.length > 0) return ok(moved.length)
  return no(found.length > 0 ? 'AGENT_REMOVED' : 'DELIVERY_STATE')
}

const TEN_SECONDS_MS = 10_000
const TEN_MINUTES_MS = 600_000

export function upkeep(model: Model): Answer<{ expired: number; released: number; reaped: number }> {
  const report = { expired: 0, released: 0, reaped: 0, gates: 0, plans: 0 }
  if (isDue(model, 'expired', TEN_SECONDS_MS)) {
    const over = model.deliveries.filter((delivery) => delivery.state === 'pending' && isOver(model, delivery))
    for (const delivery of over) finish(model, delivery, 'expired')
    report.expired = over.length
  }
  if (isDue(model, 'released', TEN_SECONDS_MS)) {
    const lapsed = model.offers.filter((offer) => isLapsed(model, offer))
    for (const offer of lapsed) giveBack(model, offer, 'lapsed')
    report.released = lapsed.length
    wakeDue(model)
  }
  if (isDue(model, 'reaped', TEN_MINUTES_MS)) report.reaped = reap(model)
  return ok(report)
}

const FINISHED: readonly DeliveryState[] = ['seen', 'acted', 'expired', 'cancelled', 'dead']

function reap(model: Model): number {
  const before = model.now - model.limits.retentionMs
  for (const [id, { heardAt }] of model.sessions) {
    const isOpen = model.offers.some((offer) => offer.session === id && !offer.outcome)
    if (heardAt < before && !isOpen) model.sessions.delete(id)
  }
  const isDone = ({ state, finishedAt }: ModelDelivery) => FINISHED.includes(state) && finishedAt < before
  const gone = [...model.messages.values()].filter(
    (message) =>
      message.createdAt < before &&
      model.deliveries.every((delivery) => delivery.message !== message || isDone(delivery)) &&
      [...model.agents.values()].every(({ isRemoved, cursor }) => isRemoved || cursor >= message.broadcast),
  )
  for (const { number } of gone) model.messages.delete(number)
  model.deliveries = model.deliveries.filter(({ message }) => model.messages.has(message.number))
  const kept = new Set(model.deliveries.map(({ offer }) => offer))
  for (const offer of model.offers)
    if (offer.outcome && offer.closedAt < before && !kept.has(offer)) offer.outcome = 'gone'
  return gone.length
}

function isDue(model: Model, job: string, intervalMs: number): boolean {
  const due = (model.ranAt.get(job) ?? Number.NEGATIVE_INFINITY) <= model.now - intervalMs
  if (due) model.ranAt.set(job, model.now)
  return due
}
