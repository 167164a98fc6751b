import type { Priority } from '../../../src/model/priority.ts'
import { takeUp } from './messages.ts'
import { wakeDue } from './read-and-snooze.ts'
import type { Answer, Model, ModelDelivery, ModelOffer } from './state.ts'
import { finish, isLapsed, isOver, MOVED, no, ok, pendingOf, present } from './state.ts'

export interface DrainOptions {
  readonly agent: string
  readonly max: number | undefined
  readonly maxPriority: Priority | undefined
  readonly session: string | undefined
  readonly via: string
}

export interface ModelDrained {
  readonly shown: readonly { readonly number: number; readonly attempt: number }[]
  readonly remaining: number
  readonly offer: ModelOffer | undefined
}

export function drain(model: Model, options: DrainOptions): Answer<ModelDrained> {
  const { agent } = options
  if (!present(model, agent)) return no('AGENT_NOT_FOUND')
  for (const offer of model.offers)
    if (offer.agent === agent && isLapsed(model, offer)) giveBack(model, offer, 'lapsed')
  wakeDue(model, agent)
  takeUp(model, agent)
  for (const delivery of pendingOf(model, agent)) if (isOver(model, delivery)) finish(model, delivery, 'expired')

  const shown = choose(pendingOf(model, agent), options.max ?? model.limits.drainMessages, options.maxPriority ?? 4)
  const { unprintedOfferMs } = model.limits
  const offer: ModelOffer = {
    agent,
    session: options.session,
    via: options.via,
    printedAt: null,
    expiresAt: model.now + unprintedOfferMs,
    closedAt: 0,
    outcome: undefined,
  }
  for (const delivery of shown) Object.assign(delivery, { state: 'offered', attempt: delivery.attempt + 1, offer })
  if (shown.length > 0) {
    model.offers.push(offer)
    if (options.session) model.sessions.set(options.session, { endedAt: null, heardAt: model.now })
  }
  return ok({
    shown: shown.map(({ message, attempt }) => ({ number: message.number, attempt })),
    remaining: pendingOf(model, agent).length,
    offer: shown.length > 0 ? offer : undefined,
  })
}

/** Urgent first, then oldest; all that are critical; and the oldest of all, in the place of the least urgent. */
function choose(pending: readonly ModelDelivery[], max: number, maxPriority: number): ModelDelivery[] {
  const due = pending
    .filter(({ message }) => message.priority <= maxPriority)
    .sort((a, b) => a.message.priority - b.message.priority || a.seq - b.seq)
  const taken = due.filter(({ message }, i) => i < max || message.priority === 0)
  const oldest = due.reduce<ModelDelivery | undefined>((a, b) => (a && a.seq < b.seq ? a : b), undefined)
  if (!oldest || taken.includes(oldest)) return taken
  if (taken.at(-1)?.message.priority !== 0) taken.pop()
  return due.filter((delivery) => delivery === oldest || taken.includes(delivery))
}

export function print(model: Model, offer: ModelOffer): Answer<undefined> {
  if (offer.outcome === 'gone') return no('OFFER_NOT_FOUND')
  if (!offer.outcome) Object.assign(offer, { printedAt: model.now, expiresAt: model.now + model.limits.printedOfferMs })
  return MOVED
}

export function confirm(model: Model, offer: ModelOffer, printed: boolean): Answer<undefined> {
  if (offer.outcome === 'gone') return no('OFFER_NOT_FOUND')
  if (offer.outcome === 'confirmed') return MOVED
  if (printed) print(model, offer)
  if (offer.printedAt === null) return no('OFFER_UNPRINTED')
  close(model, offer)
  return MOVED
}

export function release(model: Model, offer: ModelOffer): Answer<undefined> {
  if (offer.outcome) return no('OFFER_NOT_FOUND')
  giveBack(model, offer, 'released')
  return MOVED
}

export function confirmSession(model: Model, session: string, before: number): Answer<number> {
  const offers = model.offers.filter(
    (offer) => offer.session === session && !offer.outcome && offer.printedAt !== null && offer.printedAt < before,
  )
  for (const offer of offers) close(model, offer)
  return ok(offers.length)
}

export function endSession(model: Model, id: string): Answer<undefined> {
  const session = model.sessions.get(id)
  if (!session) return no('SESSION_NOT_FOUND')
  for (const offer of model.offers.filter((each) => each.session === id && !each.outcome)) {
    if (offer.printedAt !== null && offer.via !== 'session.start') close(model, offer)
    else giveBack(model, offer, 'released')
  }
  if (session.endedAt === null) Object.assign(session, { endedAt: model.now, heardAt: model.now })
  return MOVED
}

function close(model: Model, offer: ModelOffer): void {
  Object.assign(offer, { outcome: 'confirmed', closedAt: model.now })
  for (const delivery of offeredBy(model, offer)) finish(model, delivery, 'seen')
}

/** What lapsed unprinted may have been shown; what was released unprinted was not, and does not count as an attempt. */
export function giveBack(model: Model, offer: ModelOffer, outcome: 'released' | 'lapsed'): void {
  const isCounted = offer.printedAt !== null || outcome === 'lapsed'
  Object.assign(offer, { outcome: 'gone', closedAt: model.now })
  for (const delivery of offeredBy(model, offer)) {
    if (!isCounted) delivery.attempt--
    const unconfirmed = delivery.attempt - delivery.seenAttempt
    const isDead = isCounted && unconfirmed % model.limits.attempts === 0
    finish(model, delivery, isDead ? 'dead' : 'pending')
  }
}

function offeredBy(model: Model, offer: ModelOffer): ModelDelivery[] {
  return model.deliveries.filter((delivery) => delivery.offer === offer && delivery.state === 'offered')
}
