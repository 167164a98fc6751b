import { inputSchema, type JsonSchema, typesOf } from '../../../src/operations/json-schema.ts'
import { DECLARED_OPERATIONS } from '../../../src/operations/table.ts'

/**
 * Input text fields that the test leaves alone, by name or by operation and name. Every other field must be planted.
 */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'they name something that is there, else the call is refused': [
    ...['id', 'ids', 'agent', 'agents', 'sessionId', 'session', 'offerId', 'eventId', 'connection', 'replyTo', 'gate'],
    ...['members', 'member', 'concerning', 'ask', 'to', 'to_agent', 'notify', 'project', 'project_id', 'task_id'],
    ...['msg_id', 'parents', 'entity_id', 'entity', 'topic', 'toRepo', 'name', 'serviceName', 'select', 'as'],
    ...['toRepo', 'defaultOption', 'bus.post kind', 'bus.post run_id', 'gates.judge tool'],
  ],
  'they are compared or looked for, and never shown': [
    'after',
    'types',
    'query',
    'search',
    'place',
    'runningHash',
    'dedupKey',
    'dedup_key',
  ],
  'they have a form that is parsed: a time, a checksum, a trace, a proof, a scope': [
    ...['runAfter', 'scheduledAt', 'cron', 'zone', 'sha256', 'traceparent', 'tracestate', 'key', 'webhookId'],
    ...['timestamp', 'signature', 'services.trigger body', 'scope', 'deliveryId'],
  ],
  'they are bytes in base64, or say what kind of bytes': ['body_base64', 'data', 'mime'],
  'they are the words of another operation': [
    ...['type', 'content', 'subject', 'payload', 'context', 'ref', 'path', 'url'].map(
      (name) => `inbox.pushMany ${name}`,
    ),
    ...['message_type', 'subject', 'payload', 'context', 'ref_id'].map((name) => `messages.sendInbox ${name}`),
    ...['issue_id', 'run_id'].flatMap((name) => [`bus.read ${name}`, `bus.wait ${name}`]),
  ],
}

/** Fields that take a text which no output shows, and why. */
export const NEVER_SHOWN: Readonly<Record<string, string>> = {
  'inbox.ingest type type': 'an entry of a strange type is put aside in its spool',
  'gates.register check check': 'people see the reason of the gate; its command is shown by the configuration alone',
  'sessions.note firing firing': 'it is only compared, to tell two hooks of one event apart',
  'handoff.release reason': 'nothing keeps it',
}

/** What is declared, is not planted and not left out: `operation field`. */
export function findUnplanted(planted: Iterable<string>): readonly string[] {
  const known = new Set<string>()
  for (const field of planted) {
    const [operation = '', ...words] = field.split(' ')
    for (const word of words) known.add(`${operation} ${word}`)
  }
  const leftOut = new Set(Object.values(LEFT_OUT).flat())
  const declared = DECLARED_OPERATIONS.flatMap(({ name, input }) =>
    [...new Set(textsOf(inputSchema({ input })))].map((field) => ({ field, whole: `${name} ${field}` })),
  )
  return declared.flatMap(({ field, whole }) =>
    known.has(whole) || leftOut.has(whole) || leftOut.has(field) ? [] : [whole],
  )
}

/** The names of all fields that take text of any form, at any depth. */
function textsOf(schema: JsonSchema, name = ''): readonly string[] {
  const { anyOf = [], items, properties = {}, additionalProperties } = schema
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return []
  const types = typesOf(schema)
  const takesText = types.includes('string') || (types.length === 0 && anyOf.length === 0)
  return [
    ...(takesText && name !== '' ? [name] : []),
    ...anyOf.flatMap((each) => textsOf(each, name)),
    ...(items ? textsOf(items, name) : []),
    ...Object.entries(properties).flatMap(([key, each]) => textsOf(each, key)),
    ...(typeof additionalProperties === 'object' ? textsOf(additionalProperties as JsonSchema, name) : []),
  ]
}
