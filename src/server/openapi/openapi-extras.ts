import { CALLER_PATH, SIGN_INS_PATH } from '../../model/network/paths.ts'
import type { JsonSchema } from '../../operations/json-schema.ts'
import type { ApiOperation } from './openapi.ts'

/** What is answered beside the operations, and what one of them takes in another form than the heart does. */

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

export const TRIGGER_BODY: JsonSchema = {
  type: 'object',
  description: "Seed 001's own form. With a signature, or as a CloudEvent, the body may be any JSON.",
  properties: {
    serviceName: { type: 'string' },
    payload: {},
    subject: { type: 'string' },
    priority: { type: 'integer', minimum: 0, maximum: 4 },
  },
  required: ['payload'],
}

const ok = page('The process lives.', { ok: { type: 'boolean' } })

export const PAGE_PATHS: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>> = {
  '/healthz': { get: open('healthz', 'Whether the process lives.', ok) },
  '/readyz': {
    get: open('readyz', 'Whether the store can be read.', page('It can.', { ok: { type: 'boolean' } }), {
      503: { description: 'STORE_UNAVAILABLE, STORE_BUSY', content: PROBLEM },
    }),
  },
  '/version': {
    get: open(
      'version',
      'Which Postern this is.',
      page('Its version.', { name: { type: 'string' }, version: { type: 'string' } }),
    ),
  },
  '/openapi.json': {
    get: open('openapi', 'This document.', {
      description: 'The document.',
      content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
    }),
  },
  '/docs': {
    get: open('docs', 'The same for people.', {
      description: 'A page.',
      content: { 'text/html': { schema: { type: 'string' } } },
    }),
  },
  '/metrics': {
    get: guarded('metrics', 'Numbers for Prometheus.', {
      200: { description: 'The numbers.', content: { 'text/plain': { schema: { type: 'string' } } } },
      403: { description: 'NOT_ALLOWED: for people and administrators.', content: PROBLEM },
    }),
  },
  [CALLER_PATH]: {
    get: guarded('caller', 'Whom the token speaks for.', { 200: page('The caller.', { caller: { type: 'object' } }) }),
  },
  '/api/v1/tickets': {
    post: guarded('tickets', 'Make a credential that may stand in a URL: good once and for a minute.', {
      201: page('The ticket.', { ticket: { type: 'string' }, expiresAt: { type: 'string', format: 'date-time' } }),
    }),
  },
  [SIGN_INS_PATH]: {
    post: {
      ...guarded('signIns', 'Make a link by which a person gets into the page: good once and for five minutes.', {
        201: page('Where it leads.', {
          person: { type: 'string' },
          path: { type: 'string' },
          expiresAt: { type: 'string', format: 'date-time' },
          opensFromFile: { type: 'boolean' },
        }),
        403: { description: 'NOT_ALLOWED: for oneself, and by administrators for any person.', content: PROBLEM },
        404: { description: 'AGENT_NOT_FOUND', content: PROBLEM },
        422: { description: 'INPUT_INVALID: an administrator names the person.', content: PROBLEM },
      }),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { type: 'object', properties: { person: { type: 'string' } } } } },
      },
    },
  },
  '/api/v1/hooks/{host}': {
    post: {
      ...guarded('hooks', 'Answer an event of a host that can only deliver. Whatever goes wrong, the answer is {}.', {
        200: page('What the host puts before its model.', {}),
        403: { description: 'NOT_ALLOWED: for the agent itself, and administrators.', content: PROBLEM },
      }),
      parameters: [
        { name: 'host', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'agent', in: 'query', required: false, schema: { type: 'string' } },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { type: 'object', description: 'The event, as the host writes it.' } },
        },
      },
    },
  },
}

function page(description: string, properties: Readonly<Record<string, JsonSchema>>): object {
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  return { description, content: { 'application/json': { schema } } }
}

function open(operationId: string, summary: string, answer: object, others: object = {}): ApiOperation {
  const refused = { description: 'ORIGIN_REFUSED', content: PROBLEM }
  return { operationId, summary, tags: ['server'], responses: { 200: answer, 403: refused, ...others }, security: [] }
}

function guarded(operationId: string, summary: string, answers: Readonly<Record<string, object>>): ApiOperation {
  const refused = { description: 'NOT_AUTHENTICATED', content: PROBLEM }
  return { operationId, summary, tags: ['server'], responses: { ...answers, 401: refused } }
}
