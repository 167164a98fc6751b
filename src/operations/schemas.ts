import { z } from 'zod'
import { AGENT_KINDS } from '../model/agent.ts'
import { DELIVERY_STATES, type DeliveryState } from '../model/delivery.ts'
import { isJson, type Json } from '../model/json.ts'
import { SESSION_HOSTS } from '../model/session.ts'

/** The nouns as schemas, for those doors that must check or describe what goes through them. */

export const agentId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/)
  .describe('An agent, by its id.')
export const messageId = z.string().min(1).max(64).describe('A message, by its id.')
export const priority = z.number().int().min(0).max(4).describe('0 critical, 1 high, 2 normal, 3 low, 4 fyi.')
export const deliveryState = z.enum(DELIVERY_STATES as [DeliveryState, ...DeliveryState[]])
export const milliseconds = z.number().int()
const moment = milliseconds.nullable()
export const json = z.custom<Json>((value) => isJson(value))

export const agent = z.object({
  id: agentId,
  kind: z.enum(AGENT_KINDS),
  displayName: z.string(),
  isOwner: z.boolean(),
  createdAt: milliseconds,
  removedAt: moment,
})

export const sessionHost = z.enum(SESSION_HOSTS)

export const session = z.object({
  id: z.string(),
  agent: agentId,
  host: sessionHost,
  project: z.string().nullable(),
  machine: z.string(),
  pid: z.number().int().nullable(),
  pidStartedAt: moment,
  starterPid: z.number().int().nullable(),
  starterStartedAt: moment,
  startedAt: milliseconds,
  lastEventAt: milliseconds,
  endedAt: moment,
  idleSince: moment,
  continuations: z.number().int(),
  continuedAt: moment,
  stoppedAt: moment,
})

const liveness = z.enum(['alive', 'gone', 'unknown'])

export const liveSession = session.extend({ liveness })

export const agentStatus = agent.extend({
  pending: z.number().int(),
  liveness: liveness.nullable(),
  session: liveSession.nullable(),
})

export const attachment = z.object({
  name: z.string(),
  path: z.string().optional(),
  url: z.string().optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number().int().min(0),
})

export const trust = z.object({ kind: z.string(), verified: z.boolean(), via: z.string() })
export const sender = trust.extend({ id: z.string() })

const quote = z.object({ what: z.string(), from: sender, text: z.string() })

export const traceContext = z
  .object({ traceparent: z.string(), tracestate: z.string().optional() })
  .describe('The headers of W3C Trace Context.')

export const message = z.object({
  id: messageId,
  type: z.string(),
  from: sender,
  to: z.array(z.string()),
  subject: z.string().nullable(),
  content: z.string(),
  quotes: z.array(quote).optional().describe('In notices of Postern, the words of others.'),
  damaged: z
    .literal(true)
    .optional()
    .describe("True if the stored row does not match its checksum. Then only the id is the message's own."),
  authenticated: z
    .literal(false)
    .optional()
    .describe("False if this home's key cannot prove the message unchanged since it was pushed."),
  payload: json.nullable(),
  context: json.nullable(),
  priority,
  ref: z.string().nullable(),
  replyTo: z.string().nullable(),
  threadId: z.string(),
  hops: z.number().int(),
  dedupKey: z.string().nullable(),
  attachments: z.array(attachment),
  trace: traceContext.nullable(),
  createdAt: milliseconds,
  expiresAt: moment,
})

export const inboxMessage = message.extend({
  agent: agentId,
  state: deliveryState,
  attempt: z.number().int(),
  inboxSeq: z.number().int(),
  snoozedUntilAt: milliseconds.optional().describe('In lists, where it was put off until a time.'),
})

export const shownMessage = inboxMessage.extend({ form: z.enum(['whole', 'headline']) })

export const offer = z.object({
  id: z.string(),
  agent: agentId,
  sessionId: z.string().nullable(),
  via: z.string(),
  offeredAt: milliseconds,
  printedAt: moment,
  closedAt: moment,
  outcome: z.enum(['confirmed', 'released', 'lapsed']).nullable(),
  evidence: z.string().nullable(),
  expiresAt: milliseconds,
  size: z.number().int(),
})

const step = z.object({
  step: z.string(),
  at: milliseconds,
  attempt: z.number().int().nullable(),
  evidence: z.string(),
  by: z.string().nullable(),
  sessionId: z.string().nullable(),
})

export const trace = z.object({
  message,
  deliveries: z.array(
    z.object({
      agent: agentId,
      state: deliveryState,
      inboxSeq: z.number().int(),
      attempt: z.number().int(),
      storedAt: milliseconds,
      offeredAt: moment,
      printedAt: moment,
      seenAt: moment,
      actedAt: moment,
      expiresAt: moment,
      offerId: z.string().nullable(),
      sessionId: z.string().nullable(),
      snoozedUntilAt: moment,
      leaseExpiresAt: moment,
      rungAt: moment,
      steps: z.array(step),
    }),
  ),
  why: z.string(),
})

export const pushResult = z.object({
  id: messageId,
  duplicate: z.boolean(),
  recipients: z.array(z.object({ agent: z.string(), state: deliveryState, duplicate: z.boolean() })),
})
