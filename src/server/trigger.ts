import { startOf } from '../kit/pure/cut.ts'
import { PosternError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { parseTraceContext, type TraceContext } from '../model/network/trace-context.ts'
import type { Priority } from '../model/priority.ts'
import type { TriggerAgent, TriggerProof } from '../model/sources/services.ts'
import {
  type CloudEvent,
  deliveryIdOf,
  type Headers,
  headerOf,
  invalid,
  parseJson,
  readCloudEvent,
} from './cloud-events.ts'

/** A request of an outside system, as it came: the names of headers in lower case, the body not yet understood. */
export interface TriggerRequest {
  readonly headers: Headers
  readonly body: string
  readonly agent: string
}

/**
 * Understands what an outside system sends: seed 001's own form with its key, the signatures of Standard Webhooks, or an
 * event of CloudEvents with either of them. Whether it is true, the heart finds out.
 */
export function readTrigger({ headers, body, agent }: TriggerRequest): TriggerAgent {
  const proof = readProof(headers, body)
  const event = readCloudEvent(headers, body)
  const said = event ? ofEvent(event) : ofBody(parseJson(body), proof)
  const deliveryId = deliveryIdIn(headers) ?? said.deliveryId
  const trace = traceIn(headers, event)
  return { agent, proof, ...said, ...(deliveryId && { deliveryId }), ...(trace && { trace }) }
}

/** A signature says more than a key: it also holds for the body and the moment. */
function readProof(headers: Headers, body: string): TriggerProof {
  const [webhookId, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  )
  if (webhookId && timestamp && signature) return { webhookId, timestamp, signature, body }
  const key = headerOf(headers, 'x-secret-key')
  if (key) return { key }
  throw new PosternError('TRIGGER_REFUSED')
}

function deliveryIdIn(headers: Headers): string | undefined {
  return headerOf(headers, 'webhook-id') || headerOf(headers, 'idempotency-key') || undefined
}

type Said = Omit<TriggerAgent, 'agent' | 'proof' | 'trace'>

/** With a key the body is of the seed's form; a signed one is what it is, unless it has that form. */
function ofBody(body: Json, proof: TriggerProof): Said {
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Members) : {}
  const isSeedForm = Object.hasOwn(members, 'payload') && (typeof members['serviceName'] === 'string' || 'key' in proof)
  if (!isSeedForm && 'key' in proof) throw invalid('it has no payload: send {"serviceName": "…", "payload": …}')
  return isSeedForm ? ofSeedForm(members) : { payload: body }
}

type Members = Readonly<Record<string, Json>>

function ofSeedForm({ serviceName, payload = null, priority, subject, deliveryId }: Members): Said {
  for (const [name, value] of Object.entries({ serviceName, subject, deliveryId })) {
    if (value !== undefined && typeof value !== 'string') throw invalid(`"${name}" is not text`)
  }
  if (priority !== undefined && typeof priority !== 'number') throw invalid('"priority" is not a number')
  return {
    payload,
    ...(typeof serviceName === 'string' && { serviceName }),
    ...(typeof subject === 'string' && { subject }),
    ...(typeof deliveryId === 'string' && { deliveryId }),
    ...(typeof priority === 'number' && { priority: priority as Priority }),
  }
}

const MAX_SUBJECT_CHARACTERS = 300

/** The agent is shown the event with its attributes: data alone rarely says what has happened. */
function ofEvent({ traceparent, ...event }: CloudEvent): Said {
  const subject = event.subject ? `${event.type}: ${event.subject}` : event.type
  const short = startOf(subject.toWellFormed(), MAX_SUBJECT_CHARACTERS)
  return { payload: { ...event }, subject: short, deliveryId: deliveryIdOf(event) }
}

/** The trace that an event names as its own comes before that of the request. */
function traceIn(headers: Headers, event: CloudEvent | undefined): TraceContext | undefined {
  const ofRequest = parseTraceContext(headerOf(headers, 'traceparent'), headerOf(headers, 'tracestate'))
  return parseTraceContext(event?.traceparent) ?? ofRequest
}
