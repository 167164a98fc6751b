import type { Caller } from '../../model/caller.ts'
import { isJson, type Json } from '../../model/json.ts'
import type { Message } from '../../model/message.ts'
import type { Service } from '../../model/sources/service.ts'
import type { TriggerAgent } from '../../model/sources/services.ts'
import { utf8Length } from '../../model/text.ts'
import type { Context, Secrets } from '../context.ts'
import { composeMessage } from '../deliveries/compose.ts'

/** A service comes over the network, whoever hands its event on. */
export function callerOf({ name }: Pick<Service, 'name'>): Caller {
  return { id: name, kind: 'service', verified: true, via: 'http' }
}

/** The message that carries an event to its agent. */
export function composeEvent(ctx: Context, secrets: Secrets, service: Service, input: TriggerAgent): Message {
  const { payload, priority, subject, trace } = input
  const message = composeMessage(
    { ...ctx, caller: callerOf(service) },
    {
      to: [service.agent],
      type: 'service',
      content: readable(payload, ctx.limits.contentBytes),
      payload: { serviceName: service.name, payload },
      ...(priority !== undefined && { priority }),
      ...(subject !== undefined && { subject }),
      ...(trace !== undefined && { trace }),
    },
  )
  const deliveryId = 'key' in input.proof ? input.deliveryId : input.proof.webhookId
  return deliveryId ? { ...message, dedupKey: dedupKeyOf(secrets, service, deliveryId) } : message
}

const DELIVERY_ID_CHARACTERS = 120

/** Ids of others are of any length and may hold what no store takes; their hashes tell them apart as well. */
function dedupKeyOf(secrets: Secrets, { id }: Service, deliveryId: string): string {
  const isPlain = deliveryId.length <= DELIVERY_ID_CHARACTERS && /^[\x20-\x7e]*$/.test(deliveryId)
  return `svc:${id}:${isPlain ? deliveryId : `sha256:${secrets.hash(deliveryId)}`}`
}

/** One line of JSON, cut where it is longer than a message may be. What is no JSON is refused with the payload. */
function readable(payload: Json, maxBytes: number): string {
  if (!isJson(payload)) return '…'
  const text = JSON.stringify(payload)
  if (utf8Length(text) <= maxBytes) return text
  let end = 0
  for (let bytes = utf8Length('…'); ; ) {
    const character = String.fromCodePoint(text.codePointAt(end) ?? 0)
    bytes += utf8Length(character)
    if (bytes > maxBytes) return `${text.slice(0, end)}…`
    end += character.length
  }
}
