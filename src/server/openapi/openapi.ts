import { type ErrorCode, errorTable, outcomeOf } from '../../model/errors.ts'
import { VERSION } from '../../model/version.ts'
import { successStatus } from '../../operations/answers.ts'
import { inputSchema, type JsonSchema, outputSchema } from '../../operations/json-schema.ts'
import type { Operation } from '../../operations/operation.ts'
import { DECLARED_OPERATIONS, declaredOperation } from '../../operations/table.ts'
import { isEntryList } from '../bus/entry-list.ts'
import { titleOf } from '../problem.ts'
import { describeStreams, ENTRY_LIST_HEADERS } from './openapi-bus.ts'
import { PAGE_PATHS, TRIGGER_BODY } from './openapi-extras.ts'
import { headerErrors, headersOf } from './openapi-headers.ts'

/** What this server answers to, as OpenAPI 3.1. All of it is made from the declarations that the server runs on. */
export interface OpenApi {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components: object
  readonly security: readonly object[]
}

export interface ApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly ApiParameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Record<string, { readonly schema: JsonSchema }>
  }
  readonly responses: Readonly<Record<string, object>>
  readonly security?: readonly object[]
}

export interface ApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

const TAGS: Readonly<Record<string, string>> = {
  agents: 'Who there is.',
  sessions: 'Lives of agents in their hosts.',
  inbox: 'Messages: pushing, draining, receipts.',
  gates: 'What holds an agent.',
  decisions: 'Questions to people.',
  spaces: 'Conversations.',
  plans: 'Messages for later.',
  services: 'Outside systems that wake agents.',
  tokens: 'Credentials.',
  bus: 'The logs of projects and tasks.',
  handoff: 'What one session leaves for the next.',
  messages: 'Messages on the record.',
  notes: 'Notes on tasks, phases, stages and projects.',
  ledger: 'Topics, their entries and proofs, profiles, connections with outsiders, and what is on its way.',
  events: 'What has happened, in order.',
  metrics: 'How it went over a while.',
  upkeep: 'What has to be done from time to time.',
  server: 'The server itself.',
}

/** Refusals that every request may meet. */
const EVERYWHERE: readonly ErrorCode[] = [
  'NOT_AUTHENTICATED',
  'ORIGIN_REFUSED',
  'RATE_LIMITED',
  'INPUT_INVALID',
  'INTERNAL',
  'STORE_BUSY',
]
const WITH_BODY: readonly ErrorCode[] = ['BODY_INVALID', 'BODY_TOO_LARGE', 'MEDIA_TYPE_REFUSED']

export function describeApi(): OpenApi {
  const paths: Record<string, Record<string, ApiOperation>> = {}
  for (const operation of DECLARED_OPERATIONS) {
    for (const [at, route] of operation.http.entries()) {
      const [method = '', path = ''] = route.split(' ')
      const template = path.replace(/:(\w+)/g, '{$1}')
      const described = describeOperation(operation, { route, method, path, at })
      paths[template] = { ...paths[template], [method.toLowerCase()]: described }
    }
  }
  const readBus = declaredOperation('bus.read')
  const reading = (method: string, path: string) => ({
    parameters: parametersOf(readBus, method, path),
    problems: problemsOf(readBus, method),
  })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version: VERSION,
      description:
        'One durable inbox, one set of gates and one set of spaces for agents and the people who work with them.',
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...describeStreams(reading), ...PAGE_PATHS },
    components: { securitySchemes: SECURITY, schemas: { Problem: PROBLEM } },
    security: [{ token: [] }],
  }
}

interface Face {
  readonly route: string
  readonly method: string
  readonly path: string
  /** Which of several routes it is. */
  readonly at: number
}

function describeOperation(operation: Operation, { route, method, path, at }: Face): ApiOperation {
  const { name, summary, access } = operation
  const parameters = parametersOf(operation, method, path)
  const body = method === 'GET' || method === 'DELETE' ? undefined : bodyOf(operation, path)
  const isProven = access.to === 'proven'
  return {
    operationId: at === 0 ? name : `${name}.${at + 1}`,
    summary,
    description: ACCESS_WORDS[access.to],
    tags: [name.split('.')[0] ?? ''],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: body.isRequired, content: { 'application/json': { schema: body.schema } } },
    }),
    responses: { ...successOf(operation, route), ...problemsOf(operation, method) },
    ...(isProven && { security: [{ serviceKey: [] }, { webhookSignature: [] }] }),
    ...(name === 'events.list' && { security: [{ token: [] }, { ticket: [] }] }),
  }
}

const ACCESS_WORDS: Readonly<Record<Operation['access']['to'], string>> = {
  anyone: 'For every agent and person.',
  insiders: 'For every agent and person, but not for services.',
  own: 'A program may use it only for itself.',
  session: 'A program may use it only for an open session of its own.',
  people: 'For people and administrators.',
  admin: 'For administrators.',
  proven: 'For whoever proves to be the service: no token is needed.',
}

function parametersOf(operation: Operation, method: string, path: string): ApiParameter[] {
  const { properties = {}, required = [] } = inputSchema(operation)
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const inQuery = method === 'GET' || method === 'DELETE' ? Object.keys(properties) : []
  return [
    ...inPath.map((name) => parameter(name, 'path', true, properties[name])),
    ...inQuery
      .filter((name) => !inPath.includes(name))
      .map((name) =>
        parameter(name, 'query', required.includes(name) && !isFilledIn(operation, name), fieldOf(operation, name)),
      ),
    ...headersOf(operation, method),
  ]
}

function parameter(name: string, where: 'path' | 'query', required: boolean, schema: JsonSchema = {}): ApiParameter {
  const { description, ...rest } = schema
  return { name, in: where, required, ...(typeof description === 'string' && { description }), schema: rest }
}

/** Where a program leaves its own name out, the server puts it in. */
function isFilledIn({ access }: Operation, field: string): boolean {
  return access.to === 'own' && access.field === field
}

/** The schema of a field. One that the server fills in for some callers says for whom. */
function fieldOf(operation: Operation, name: string): JsonSchema {
  const { properties = {}, required = [] } = inputSchema(operation)
  const schema = properties[name] ?? {}
  if (!isFilledIn(operation, name) || !required.includes(name)) return schema
  const description = [schema.description, 'Absent: the caller itself. An administrator has to name it.']
  return { ...schema, description: description.filter(Boolean).join(' ') }
}

function bodyOf(operation: Operation, path: string): { schema: JsonSchema; isRequired: boolean } {
  if (operation.name === 'services.trigger') return { schema: TRIGGER_BODY, isRequired: true }
  const { properties = {}, required = [], ...rest } = inputSchema(operation)
  const names = Object.keys(properties).filter((name) => !path.split('/').includes(`:${name}`))
  const needed = required.filter((name) => names.includes(name) && !isFilledIn(operation, name))
  const schema = {
    ...rest,
    properties: Object.fromEntries(names.map((name) => [name, fieldOf(operation, name)])),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  }
  return { schema, isRequired: needed.length > 0 }
}

function successOf(operation: Operation, route: string): Record<string, object> {
  if (isEntryList(operation, route)) return { 200: entryListOf(operation) }
  const status = successStatus(operation)
  const schema = outputSchema(operation)
  const stream = operation.name === 'events.list' && { 'text/event-stream': { schema: { type: 'string' } } }
  const content = schema && { 'application/json': { schema }, ...stream }
  const { isVersioned } = operation
  const headers = isVersioned && { headers: { etag: { description: 'Its version.', schema: { type: 'string' } } } }
  const description = status === 201 ? 'Done: it is there now.' : 'Done.'
  return {
    [status]: { description, ...headers, ...(content && { content }) },
    ...(isVersioned && { 304: { description: 'It is what "If-None-Match" says.', ...headers } }),
  }
}

/** The seed's form of a page is the list of its items. */
function entryListOf(operation: Operation): object {
  const schema = outputSchema(operation)?.properties?.['items'] ?? {}
  return { description: 'The entries.', headers: ENTRY_LIST_HEADERS, content: { 'application/json': { schema } } }
}

function problemsOf(operation: Operation, method: string): Record<string, object> {
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const stopped: readonly ErrorCode[] = operation.kind === 'waits' ? ['SERVER_UNAVAILABLE'] : []
  const own = [...operation.errors, ...headerErrors(operation, method), ...stopped]
  const codes = [...new Set([...own, ...EVERYWHERE, ...(hasBody ? WITH_BODY : [])])]
  const byStatus = Map.groupBy(codes, (code) => outcomeOf(code).http)
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, group]) => [
        status,
        {
          description: group.map((code) => `${code} (${titleOf(code)})`).join(', '),
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ]),
  )
}

const SECURITY = {
  token: { type: 'http', scheme: 'bearer', description: 'A token that "postern token create" has made.' },
  ticket: {
    type: 'apiKey',
    in: 'query',
    name: 'ticket',
    description: 'Good once and for a minute; for event streams.',
  },
  serviceKey: { type: 'apiKey', in: 'header', name: 'x-secret-key', description: 'The key of a service.' },
  webhookSignature: { type: 'apiKey', in: 'header', name: 'webhook-signature', description: 'As Standard Webhooks.' },
} as const

const text = { type: 'string' } as const

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'What went wrong, as RFC 9457 writes it.',
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: text,
    code: { type: 'string', enum: Object.keys(errorTable()) },
    next: { type: 'string', description: 'What to do now.' },
    retryable: { type: 'boolean' },
    details: { type: 'object', additionalProperties: true },
    requestId: text,
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'next', 'retryable', 'details', 'requestId'],
}
