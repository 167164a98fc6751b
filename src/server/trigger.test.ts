import { describe, expect, it } from 'vitest'
import { toTrigger } from '../client/trigger.ts'
import type { TriggerAgent } from '../model/sources/services.ts'
import type { Headers } from './cloud-events.ts'
import { readTrigger } from './trigger.ts'

const KEY = { 'x-secret-key': 'sk_1' } as const
const SIGNED = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1614265330', 'webhook-signature': 'v1,x' } as const
const read = (headers: Headers, body: unknown) =>
  readTrigger({ agent: 'developer', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
const refusal = (code: string) => expect.objectContaining({ code })

describe('a request to trigger an agent', () => {
  it("is seed 001's own form with a key", () => {
    const payload = { issue: 'PROJ-123', action: 'created' }
    expect(read(KEY, { serviceName: 'jira-webhook', payload })).toEqual({
      agent: 'developer',
      proof: { key: 'sk_1' },
      serviceName: 'jira-webhook',
      payload,
    })
    expect(read(KEY, { payload: null, priority: 1, subject: 's' })).toMatchObject({
      payload: null,
      priority: 1,
      subject: 's',
    })
  })

  it('is refused with a key where the body has another form', () => {
    const bodies = ['', 'x', '[]', 'null', '{}', '{"serviceName":"x"}', '{"payload":1,"serviceName":2}', '[1]']
    for (const body of [...bodies, '{"payload":1,"priority":"high"}', '{"payload":1,"subject":{}}', '['.repeat(1e5)]) {
      expect(() => read(KEY, body)).toThrow(refusal('BODY_INVALID'))
    }
  })

  it('is any JSON where it is signed, and is signed as it came', () => {
    const body = '{ "type": "contact.created", "n": 1.0 }'
    expect(read(SIGNED, body)).toEqual({
      agent: 'developer',
      proof: { webhookId: 'evt_1', timestamp: '1614265330', signature: 'v1,x', body },
      payload: { type: 'contact.created', n: 1 },
      deliveryId: 'evt_1',
    })
    for (const plain of [1, null, 'text', [1], { payload: 1 }]) {
      expect(read(SIGNED, JSON.stringify(plain)).payload).toEqual(plain)
    }
    expect(read(SIGNED, { serviceName: 'ci', payload: 1 })).toMatchObject({ serviceName: 'ci', payload: 1 })
    expect(() => read(SIGNED, '{')).toThrow(refusal('BODY_INVALID'))
  })

  it('proves itself by its signature rather than by its key', () => {
    expect(read({ ...KEY, ...SIGNED }, { payload: 1 }).proof).toHaveProperty('signature', 'v1,x')
    const { 'webhook-signature': _, ...unsigned } = SIGNED
    expect(read({ ...KEY, ...unsigned }, { payload: 1 })).toMatchObject({ proof: { key: 'sk_1' }, deliveryId: 'evt_1' })
  })

  it('is refused without a proof, whatever it says', () => {
    for (const headers of [{}, { 'x-secret-key': '' }, { ...SIGNED, 'webhook-id': '' }, { 'webhook-id': 'x' }]) {
      expect(() => read(headers, '{')).toThrow(refusal('TRIGGER_REFUSED'))
    }
  })

  it('is repeated under an Idempotency-Key, which a webhook-id comes before', () => {
    expect(read({ ...KEY, 'idempotency-key': 'k' }, { payload: 1 }).deliveryId).toBe('k')
    expect(read({ ...SIGNED, 'idempotency-key': 'k' }, '1').deliveryId).toBe('evt_1')
    expect(read(KEY, { payload: 1 })).not.toHaveProperty('deliveryId')
  })

  const CLOUD = { 'ce-specversion': '1.0', 'ce-id': '7', 'ce-source': '/ci', 'ce-type': 'build.done' } as const

  it('may be a CloudEvent with either proof', () => {
    const event = { id: '7', source: '/ci', type: 'build.done', data: { ok: true } }
    const binary = read({ ...KEY, ...CLOUD, 'ce-subject': 'main' }, { ok: true })
    expect(binary).toMatchObject({
      proof: { key: 'sk_1' },
      payload: { ...event, subject: 'main' },
      subject: 'build.done: main',
      deliveryId: 'ce:/ci:7',
    })
    const headers = { ...SIGNED, 'content-type': 'application/cloudevents+json' }
    expect(read({ ...KEY, ...CLOUD, 'ce-subject': 'x'.repeat(900) }, '').subject).toHaveLength(300)
    expect(read(headers, { specversion: '1.0', ...event })).toMatchObject({
      payload: event,
      subject: 'build.done',
      deliveryId: 'evt_1',
    })
  })

  it('keeps its trace, that of the event before that of the request', () => {
    const [ofEvent, ofRequest] = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`)
    expect(read({ ...KEY, traceparent: ofRequest, tracestate: 'v=1' }, { payload: 1 }).trace).toEqual({
      traceparent: ofRequest,
      tracestate: 'v=1',
    })
    const traced = { ...KEY, ...CLOUD, traceparent: ofRequest, 'ce-traceparent': ofEvent }
    expect(read(traced, '').trace).toEqual({ traceparent: ofEvent })
    expect(read({ ...KEY, traceparent: 'junk' }, { payload: 1 })).not.toHaveProperty('trace')
  })

  it('arrives as a client sends it', () => {
    const proof = { key: 'sk_1' }
    const sent: readonly TriggerAgent[] = [
      { agent: 'developer', proof, payload: { a: 1 } },
      { agent: 'developer', proof, payload: 1, serviceName: 'ci', deliveryId: 'd', priority: 0, subject: 's' },
      {
        agent: 'developer',
        proof: { webhookId: 'evt_1', timestamp: '1', signature: 'v1,x', body: '{"a": 1}' },
        payload: { a: 1 },
        deliveryId: 'evt_1',
      },
    ]
    for (const input of sent) {
      const { body = '', headers = {} } = toTrigger(input)
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      expect(readTrigger({ agent: 'developer', headers: lower, body })).toEqual(input)
    }
  })
})
