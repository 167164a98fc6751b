import type { InboxMessage } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import type { Json } from '../../model/json.ts'
import type { Message } from '../../model/message.ts'
import type { Service } from '../../model/sources/service.ts'
import type { ServiceRef, Triggered } from '../../model/sources/services.ts'
import type { Context } from '../context.ts'
import { composeMessage } from '../deliveries/compose.ts'
import { requirePerson } from '../registry/require-person.ts'
import { ring } from '../rings/ring.ts'
import { callerOf } from './event.ts'
import { findService } from './list.ts'
import { openGates } from './trigger.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 200

/** What a service has sent of late. */
export async function serviceEvents(
  ctx: Context,
  { limit = DEFAULT_LIMIT, ...ref }: ServiceRef & { readonly limit?: number },
): Promise<readonly InboxMessage[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    const next = `Use a whole number from 1 to ${MAX_LIMIT}.`
    throw new PosternError('VALUE_INVALID', { field: 'limit', value: limit, next })
  }
  const { service } = await findService(ctx.store.read, ref)
  return ctx.store.read.history.recent({ agent: service.agent, type: 'service', from: service.name, limit })
}

/**
 * Brings an event once more, because somebody wants it to be dealt with again: it is no duplicate but a message of its
 * own, which says what it repeats and who wanted it, and it opens the gates that wait for such an event.
 */
export async function replayEvent(
  ctx: Context,
  { eventId, ...ref }: ServiceRef & { readonly eventId: string },
): Promise<Triggered> {
  requirePerson(ctx.caller, 'bring events of services again: one may open gates')
  requireStorable(eventId, 'MESSAGE_NOT_FOUND')
  const rings = await ctx.store.transact(
    async (tx) => {
      const { service } = await findService(tx, ref)
      if (service.revokedAt !== null) throw new PosternError('SERVICE_NOT_FOUND', { id: ref.id })
      const earlier = await tx.messages.get(eventId)
      if (!earlier || !isOf(earlier, service)) throw new PosternError('MESSAGE_NOT_FOUND', { id: eventId })
      const message = composeAgain(ctx, service, earlier)
      const waiting = await tx.gates.awaitingService({ name: service.name })
      await tx.messages.push({ items: [{ message, held: [] }], pendingLimit: ctx.limits.pendingPerAgent })
      await tx.services.heard({ id: service.id, at: message.createdAt })
      const payload = payloadOf(earlier)
      return { message, told: [service.agent, ...(await openGates(ctx, tx, waiting, { service, message, payload }))] }
    },
    { answers: ['services.replay'] },
  )
  ring(ctx, rings.told)
  return { eventId: rings.message.id, duplicate: false }
}

function isOf({ type, from, to }: Message, { name, agent }: Service): boolean {
  return type === 'service' && from.id === name && from.kind === 'service' && to.includes(agent)
}

function composeAgain(ctx: Context, service: Service, earlier: Message): Message {
  const { subject, content, payload, priority, id } = earlier
  const again = composeMessage(
    { ...ctx, caller: { ...callerOf(service), via: 'replay' } },
    {
      to: [service.agent],
      type: 'service',
      content,
      payload,
      priority,
      ...(subject !== null && { subject }),
    },
  )
  // An event may be as large as a message may be, so the context that we add does not count.
  return { ...again, context: { replayOf: id, replayedBy: ctx.caller.id } }
}

/** As the service has sent it. */
function payloadOf({ payload }: Message): Json {
  const members = payload as Readonly<Record<string, Json>> | null
  return members?.['payload'] ?? null
}
