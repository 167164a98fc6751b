import type { Answer, Model, ModelDelivery, ModelLimits, ModelMessage, Said } from './state.ts'
import { allOrNothing, finish, inboxOf, isOver, MOVED, no, ok, pendingOf, present } from './state.ts'

export function createModel(limits: ModelLimits, agents: readonly string[], now: number): Model {
  const model: Model = {
    now,
    limits,
    agents: new Map(),
    messages: new Map(),
    deliveries: [],
    offers: [],
    sessions: new Map(),
    ranAt: new Map(),
    counted: 0,
    broadcasts: 0,
  }
  for (const agent of agents) addAgent(model, agent, false)
  return model
}

export function addAgent(model: Model, id: string, withBroadcasts: boolean): Answer<undefined> {
  const known = model.agents.get(id)
  if (known?.isRemoved) return no('AGENT_REMOVED')
  if (!known) model.agents.set(id, { isRemoved: false, seq: 0, cursor: withBroadcasts ? 0 : model.broadcasts })
  return MOVED
}

export function removeAgent(model: Model, id: string): Answer<undefined> {
  const agent = present(model, id)
  if (!agent) return no('AGENT_NOT_FOUND')
  takeUp(model, id)
  for (const delivery of inboxOf(model, id)) {
    if (['pending', 'offered', 'held'].includes(delivery.state)) finish(model, delivery, 'cancelled')
  }
  agent.isRemoved = true
  return MOVED
}

/** Where several messages of a batch are refused, it is not said which of them is named. */
const ANY_REASON = ['AGENT_NOT_FOUND', 'DEDUP_CONFLICT', 'INBOX_FULL'] as const

/** All of them or none. Answers with each message's number, and whether it was there before. */
export function push(model: Model, all: readonly Said[]): Answer<{ number: number; duplicate: boolean }[]> {
  return allOrNothing(model, (tried) => {
    const pushed: { number: number; duplicate: boolean }[] = []
    for (const said of all) {
      const answer = pushOne(tried, said)
      if ('refused' in answer) return all.length === 1 ? answer : { ...answer, or: ANY_REASON }
      pushed.push(answer.value)
    }
    return ok(pushed)
  })
}

function pushOne(model: Model, said: Said): Answer<{ number: number; duplicate: boolean }> {
  if (said.to === undefined) return broadcast(model, said)
  const to = [...new Set(said.to)].sort()
  if (to.some((agent) => !present(model, agent))) return no('AGENT_NOT_FOUND')
  const earlier =
    said.key === undefined
      ? []
      : model.deliveries.filter((each) => each.message.to && each.message.key === said.key && to.includes(each.agent))
  if (earlier.some(({ message }) => !isRepetition(message, said))) return no('DEDUP_CONFLICT')
  const [first] = earlier.map(({ message }) => message).sort((a, b) => a.number - b.number)
  const revived = earlier.filter((each) => isRevived(model, each, said))
  const isMissing = (agent: string) => !earlier.some((each) => each.agent === agent)
  const missing = to.filter((agent) => isMissing(agent) || revived.some((each) => each.agent === agent))
  if (missing.some((agent) => pendingOf(model, agent).length >= model.limits.pendingPerAgent)) return no('INBOX_FULL')
  const message = first ?? say(model, said, 0)
  for (const delivery of revived) {
    finish(model, delivery, 'pending')
    Object.assign(delivery, { expiresAt: endOf(model, said), offer: undefined, isLifted: false })
  }
  for (const agent of missing.filter(isMissing)) {
    const delivery = deliver(model, message, agent)
    if (isRevived(model, delivery, said)) delivery.expiresAt = endOf(model, said)
  }
  return ok({ number: message.number, duplicate: missing.length === 0 })
}

/** What has expired or was cancelled is delivered anew, with its new time to live. */
function isRevived(model: Model, delivery: ModelDelivery, said: Said): boolean {
  const isEnded = delivery.state === 'expired' || delivery.state === 'cancelled'
  return (isEnded || (delivery.state === 'pending' && isOver(model, delivery))) && endOf(model, said) !== model.now
}

function endOf(model: Model, { ttlMs }: Said): number | null {
  return ttlMs === undefined ? null : model.now + ttlMs
}

function broadcast(model: Model, said: Said): Answer<{ number: number; duplicate: boolean }> {
  const earlier = [...model.messages.values()].find(
    (each) => each.to === undefined && said.key !== undefined && each.key === said.key,
  )
  if (earlier && !isRepetition(earlier, said)) return no('DEDUP_CONFLICT')
  if (earlier) return ok({ number: earlier.number, duplicate: true })
  return ok({ number: say(model, said, ++model.broadcasts).number, duplicate: false })
}

function isRepetition(earlier: Said, later: Said): boolean {
  return earlier.content === later.content && earlier.priority === later.priority && earlier.from === later.from
}

function say(model: Model, said: Said, broadcastNumber: number): ModelMessage {
  const expiresAt = said.ttlMs === undefined ? null : model.now + said.ttlMs
  const message = {
    ...said,
    number: ++model.counted,
    broadcast: broadcastNumber,
    createdAt: model.now,
    expiresAt,
    takenBackAt: Number.POSITIVE_INFINITY,
  }
  model.messages.set(message.number, message)
  return message
}

function deliver(model: Model, message: ModelMessage, agent: string): ModelDelivery {
  const place = model.agents.get(agent)
  if (!place) throw new Error(`there is no ${agent}`)
  const delivery: ModelDelivery = {
    message,
    agent,
    seq: ++place.seq,
    expiresAt: message.expiresAt,
    state: 'pending',
    attempt: 0,
    finishedAt: model.now,
    offer: undefined,
    snoozedUntil: null,
    isLifted: false,
    wasSeen: false,
    seenAttempt: 0,
  }
  model.deliveries.push(delivery)
  return delivery
}

export function takeUp(model: Model, agent: string): void {
  const place = model.agents.get(agent)
  if (!place) return
  for (const message of model.messages.values()) {
    if (message.broadcast <= place.cursor || message.from === agent) continue
    const delivery = deliver(model, message, agent)
    if (isOver(model, delivery) || message.takenBackAt <= model.now) finish(model, delivery, 'expired')
  }
  place.cursor = model.broadcasts
}
