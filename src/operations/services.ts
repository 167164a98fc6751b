import { z } from 'zod'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, inboxMessage, json, messageId, milliseconds, priority } from './schemas.ts'

const serviceRef = z.object({
  id: z.string().min(1).describe('A service, by its id or its name.'),
  agent: agentId.optional().describe('Whose service of that name is meant.'),
})
const moment = milliseconds.nullable()

const service = z.object({
  id: z.string(),
  name: z.string(),
  agent: agentId,
  createdBy: z.string(),
  createdAt: milliseconds,
  rotatedAt: moment,
  overlapUntilAt: moment,
  revokedAt: moment,
  lastEventAt: moment,
  events: z.number().int(),
})

const newService = service.extend({
  key: z.string().describe('For the header x-secret-key. It is shown this once.'),
  signingSecret: z.string().describe('For signatures of Standard Webhooks. It is shown this once.'),
})

const REF_ERRORS = [...AGENT_ID_ERRORS, 'SERVICE_NOT_FOUND', 'VALUE_INVALID'] as const

const triggered = z.object({ eventId: z.string(), duplicate: z.boolean() })

const proof = z.union([
  z.object({ key: z.string() }),
  z.object({ webhookId: z.string(), timestamp: z.string(), signature: z.string(), body: z.string() }),
])

export const SERVICE_OPERATIONS = {
  'services.create': {
    summary: 'Register an outside system that may wake an agent.',
    input: z.object({ name: z.string(), agent: agentId }),
    output: newService,
    errors: [
      ...AGENT_ID_ERRORS,
      'AGENT_NOT_FOUND',
      'AGENT_CONFUSABLE',
      'SERVICE_NAME_INVALID',
      'SERVICE_EXISTS',
      'NOT_ALLOWED',
      'KEY_UNUSABLE',
      'QUOTA_REACHED',
      'VALUE_INVALID',
    ],
  },
  'services.list': {
    summary: 'List the services that may wake agents.',
    input: z.object({ agent: agentId.optional(), revoked: z.boolean().optional() }),
    output: z.array(service),
    errors: AGENT_ID_ERRORS,
  },
  'services.events': {
    summary: 'List the last events of a service, newest first.',
    input: serviceRef.extend({ limit: z.number().int().optional() }),
    output: z.array(inboxMessage),
    errors: REF_ERRORS,
  },
  'services.replay': {
    summary: 'Bring an earlier event of a service to its agent once more.',
    input: serviceRef.extend({ eventId: messageId }),
    output: triggered,
    errors: [...REF_ERRORS, ...TEXT_ERRORS, 'MESSAGE_NOT_FOUND', 'AGENT_NOT_FOUND', 'INBOX_FULL', 'NOT_ALLOWED'],
  },
  'services.rotate': {
    summary: 'Give a service a new key; the one before stays good for a while.',
    input: serviceRef.extend({ overlapMs: milliseconds.optional() }),
    output: newService,
    errors: [...REF_ERRORS, 'DURATION_INVALID', 'NOT_ALLOWED', 'KEY_UNUSABLE', 'SERVICE_OVERLAP'],
  },
  'services.revoke': {
    summary: 'Make the keys of a service worthless.',
    input: serviceRef,
    output: service,
    errors: [...REF_ERRORS, 'NOT_ALLOWED'],
  },
  'services.trigger': {
    summary: 'Bring an event of an outside system to its agent.',
    input: z.object({
      agent: z.string(),
      proof,
      serviceName: z.string().optional(),
      payload: json,
      deliveryId: z.string().optional(),
      priority: priority.optional(),
      subject: z.string().optional(),
      trace: z.object({ traceparent: z.string(), tracestate: z.string().optional() }).optional(),
    }),
    output: triggered,
    errors: [...TEXT_ERRORS, 'TRIGGER_REFUSED', 'DEDUP_CONFLICT', 'INBOX_FULL', 'PRIORITY_INVALID', 'VALUE_INVALID'],
  },
} satisfies DeclarationsOf<'services'>
