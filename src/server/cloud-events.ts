import { PosternError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { isShallow } from './request/body.ts'

/** An event of CloudEvents 1.0, as far as an agent is told of it. */
export interface CloudEvent {
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject?: string
  readonly time?: string
  readonly data: Json
  /** Of the extension for distributed tracing. */
  readonly traceparent?: string
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** A value of a header by its lower-case name. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

const STRUCTURED = 'application/cloudevents'
const BATCHED = 'application/cloudevents-batch'
const PREFIX = 'ce-'
const MAX_ATTRIBUTE_CHARACTERS = 1_000

/** Reads an event in binary or in structured mode; undefined for a request that holds none. */
export function readCloudEvent(headers: Headers, body: string): CloudEvent | undefined {
  const type = mediaTypeOf(headerOf(headers, 'content-type'))
  if (type.startsWith(BATCHED)) throw invalid('it holds a batch, and each event has to come alone')
  if (type.startsWith(STRUCTURED)) return readStructured(type, body)
  return headers[`${PREFIX}specversion`] === undefined ? undefined : readBinary(headers, type, body)
}

/** The same event is always sent under the same source and id. */
export function deliveryIdOf({ source, id }: CloudEvent): string {
  return `ce:${source}:${id}`
}

/** The body is the data; everything else stands in headers. */
function readBinary(headers: Headers, type: string, body: string): CloudEvent {
  const attribute = (name: string) => {
    const value = headerOf(headers, `${PREFIX}${name}`)
    return value === undefined ? undefined : decodeHeader(value)
  }
  return toEvent(attribute, body === '' ? null : readData(type, body))
}

function readStructured(type: string, body: string): CloudEvent {
  if (type !== `${STRUCTURED}+json`) throw new PosternError('MEDIA_TYPE_REFUSED', { type })
  const event = parseJson(body)
  if (typeof event !== 'object' || event === null || Array.isArray(event)) throw invalid('the event is not an object')
  const members = event as Readonly<Record<string, Json>>
  const attribute = (name: string) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string') throw invalid(`the attribute ${name} is not text`)
    return value
  }
  return toEvent(attribute, dataOf(members, attribute))
}

function dataOf(members: Readonly<Record<string, Json>>, attribute: (name: string) => string | undefined): Json {
  const encoded = attribute('data_base64')
  if (encoded === undefined) return members['data'] ?? null
  if (members['data'] !== undefined) throw invalid('it holds both data and data_base64')
  const type = mediaTypeOf(attribute('datacontenttype'))
  return isText(type) ? readData(type, Buffer.from(encoded, 'base64').toString('utf8')) : encoded
}

function toEvent(attribute: (name: string) => string | undefined, data: Json): CloudEvent {
  const required = (name: string) => {
    const value = attribute(name)
    if (value && value.length <= MAX_ATTRIBUTE_CHARACTERS) return value
    throw invalid(value ? `the attribute ${name} is too long` : `the attribute ${name} is missing`)
  }
  if (required('specversion') !== '1.0') throw invalid('only CloudEvents 1.0 is understood')
  const [subject, time, traceparent] = ['subject', 'time', 'traceparent'].map(attribute)
  if (time !== undefined && Number.isNaN(Date.parse(time))) throw invalid('the attribute time is not a time')
  return {
    id: required('id'),
    source: required('source'),
    type: required('type'),
    ...(subject && { subject }),
    ...(time !== undefined && { time }),
    data,
    ...(traceparent && { traceparent }),
  }
}

/** `"…"` with its escapes as older senders write it, then percent-encoded UTF-8. */
function decodeHeader(value: string): string {
  const [, quoted] = /^"(.*)"$/.exec(value) ?? []
  const text = quoted === undefined ? value : quoted.replace(/\\(.)/g, '$1')
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('an attribute in the headers is not percent-encoded UTF-8')
  }
}

/** What is no JSON stays the text that it is. */
function readData(type: string, text: string): Json {
  return isJsonType(type) ? parseJson(text) : text
}

/** Lower case and without parameters. */
function mediaTypeOf(type: string | undefined): string {
  return (type ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** JSON is what CloudEvents takes data for that says nothing of itself. */
function isJsonType(type: string): boolean {
  return type === '' || type === 'application/json' || type.endsWith('+json')
}

function isText(type: string): boolean {
  return isJsonType(type) || type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml')
}

/** The JSON that a body holds, of whatever kind it is. */
export function parseJson(text: string): Json {
  if (!isShallow(text)) throw invalid('it is nested too deep')
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('it is not JSON')
  }
}

export function invalid(reason: string): PosternError {
  return new PosternError('BODY_INVALID', { reason })
}
