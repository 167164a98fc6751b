import { describe, expect, it } from 'vitest'
import { deliveryIdOf, type Headers, readCloudEvent } from './cloud-events.ts'

const BINARY = {
  'ce-specversion': '1.0',
  'ce-type': 'com.example.someevent',
  'ce-time': '2018-04-05T03:56:24Z',
  'ce-id': '1234-1234-1234',
  'ce-source': '/mycontext/subcontext',
  'content-type': 'application/json; charset=utf-8',
} as const

const EVENT = {
  id: '1234-1234-1234',
  source: '/mycontext/subcontext',
  type: 'com.example.someevent',
  time: '2018-04-05T03:56:24Z',
  data: { n: 1 },
} as const

const STRUCTURED: Headers = { 'content-type': 'application/cloudevents+json; charset=UTF-8' }
const structured = (more: Readonly<Record<string, unknown>> = {}) =>
  readCloudEvent(STRUCTURED, JSON.stringify({ specversion: '1.0', ...EVENT, ...more }))
const refusal = (code: string) => expect.objectContaining({ code })

describe('a CloudEvent in binary mode', () => {
  it('has its attributes in headers and its data in the body', () => {
    expect(readCloudEvent(BINARY, '{"n":1}')).toEqual(EVENT)
    const more = { 'ce-subject': 'mynewfile.jpg', 'ce-traceparent': '00-1-2-03', 'ce-comexampleextension': 'x' }
    expect(readCloudEvent({ ...BINARY, ...more }, '{"n":1}')).toEqual({
      ...EVENT,
      subject: 'mynewfile.jpg',
      traceparent: '00-1-2-03',
    })
  })

  it('may have data of another kind, or none', () => {
    const data = (type: string | undefined, body: string) =>
      readCloudEvent({ ...BINARY, 'content-type': type }, body)?.data
    expect(data('application/json', '')).toBeNull()
    expect(data(undefined, '[1]')).toEqual([1])
    expect(data('application/vnd.github+json', '[1]')).toEqual([1])
    expect(data('text/plain', '[1]')).toBe('[1]')
    expect(() => data('application/json', '{')).toThrow(refusal('BODY_INVALID'))
  })

  it('has headers percent-encoded, or quoted as older senders do', () => {
    const subject = (value: string) => readCloudEvent({ ...BINARY, 'ce-subject': value }, '')?.subject
    expect(subject('Euro%20%E2%82%AC%20%F0%9F%98%80')).toBe('Euro € 😀')
    expect(subject('%41%62')).toBe('Ab')
    expect(subject('"a \\"b\\" \\\\ c"')).toBe('a "b" \\ c')
    for (const wrong of ['%C0%A0', '%', '%zz']) expect(() => subject(wrong)).toThrow(refusal('BODY_INVALID'))
  })
})

describe('a CloudEvent in structured mode', () => {
  it('has everything in the body, whatever the headers say', () => {
    expect(structured()).toEqual(EVENT)
    expect(structured({ subject: 's', traceparent: 't', extension: 3 })).toEqual({
      ...EVENT,
      subject: 's',
      traceparent: 't',
    })
    expect(readCloudEvent({ ...STRUCTURED, 'ce-id': 'other', 'ce-specversion': '0.3' }, body())?.id).toBe(EVENT.id)
    function body() {
      return JSON.stringify({ specversion: '1.0', ...EVENT })
    }
  })

  it('may have no data, or data in base64', () => {
    const encoded = (datacontenttype: string | undefined, text: string) =>
      structured({ data: undefined, data_base64: Buffer.from(text).toString('base64'), datacontenttype })?.data
    expect(structured({ data: undefined })?.data).toBeNull()
    expect(encoded(undefined, '{"n":2}')).toEqual({ n: 2 })
    expect(encoded('text/plain', 'Zoë')).toBe('Zoë')
    expect(encoded('image/png', 'x')).toBe('eA==')
    expect(() => structured({ data_base64: 'eA==' })).toThrow(refusal('BODY_INVALID'))
  })

  it('is refused in another format or as a batch', () => {
    const as = (type: string) => () => readCloudEvent({ 'content-type': type }, '[]')
    expect(as('application/cloudevents+avro')).toThrow(refusal('MEDIA_TYPE_REFUSED'))
    expect(as('application/cloudevents-batch+json')).toThrow(refusal('BODY_INVALID'))
    expect(as('application/cloudevents+json')).toThrow(refusal('BODY_INVALID'))
  })
})

describe('a CloudEvent', () => {
  it.each(['specversion', 'id', 'source', 'type'])('is refused without %s', (name) => {
    expect(() => structured({ [name]: undefined })).toThrow(refusal('BODY_INVALID'))
    expect(() => structured({ [name]: '' })).toThrow(refusal('BODY_INVALID'))
    if (name === 'specversion') return
    expect(() => readCloudEvent({ ...BINARY, [`ce-${name}`]: undefined }, '')).toThrow(refusal('BODY_INVALID'))
  })

  it('is refused of another version, with attributes that are none, or endless ones', () => {
    for (const wrong of [{ specversion: '0.3' }, { id: 3 }, { time: 'soon' }, { source: 'x'.repeat(1_001) }]) {
      expect(() => structured(wrong)).toThrow(refusal('BODY_INVALID'))
    }
    for (const body of ['', 'null', '[]', '"x"', '{'.repeat(100_000), '['.repeat(100_000)]) {
      expect(() => readCloudEvent(STRUCTURED, body)).toThrow(refusal('BODY_INVALID'))
    }
  })

  it('is none where nothing says so', () => {
    expect(readCloudEvent({ 'content-type': 'application/json' }, '{"specversion":"1.0"}')).toBeUndefined()
    expect(readCloudEvent({}, '')).toBeUndefined()
  })

  it('is the same delivery under the same source and id', () => {
    expect(deliveryIdOf(EVENT)).toBe('ce:/mycontext/subcontext:1234-1234-1234')
  })
})
