import { describe, expect, it } from 'vitest'
import { sampleMessage } from '../../../test/helpers/attacks.ts'
import { formatInboxEvent, parseEvent } from './event.ts'

const stamped = { eventId: 'evt-1', timestamp: '2026-02-18T15:06:55Z' }
const written = Date.UTC(2026, 1, 18, 15, 6, 55)
const parse = (fields: object) => parseEvent(JSON.stringify({ ...stamped, ...fields }))

describe('parseEvent', () => {
  it('reads the three events of seed 001', () => {
    const names = { spaceId: 's', spaceName: 'Project Alpha', senderEntityId: 'entity-husam', senderName: 'Husam' }
    expect(parse({ type: 'space_message', data: { ...names, content: 'Pull the numbers' } })).toEqual({
      event: {
        type: 'space_message',
        content: 'Pull the numbers',
        eventId: 'evt-1',
        writtenAt: written,
        source: 'entity-husam',
        payload: names,
      },
    })
    const plan = { planId: 'plan-abc', planName: 'Daily Report' }
    expect(parse({ type: 'plan', data: { ...plan, instruction: 'Post the summary' } })).toMatchObject({
      event: { type: 'plan', content: 'Post the summary', subject: 'Daily Report', source: 'plan-abc', payload: plan },
    })
    const service = { serviceName: 'jira-webhook', payload: { issue: 'PROJ-123' } }
    expect(parse({ type: 'service', data: service })).toMatchObject({
      event: { type: 'service', content: '{"issue":"PROJ-123"}', source: 'jira-webhook', payload: service },
    })
  })

  it('reads the form in which we write everything else', () => {
    const data = { messageId: 'msg_1', type: 'mail', senderEntityId: 'rosa', subject: 'Lunch', content: 'At noon?' }
    expect(parse({ type: 'message', data })).toMatchObject({
      event: { type: 'mail', content: 'At noon?', subject: 'Lunch', source: 'rosa' },
    })
  })

  it('keeps what it does not know: its type, its data, or at least what it says', () => {
    expect(parse({ type: 'deploy.done', data: { version: 3 } })).toMatchObject({
      event: { type: 'deploy.done', content: '{"version":3}', payload: { version: 3 } },
    })
    expect(parse({ type: 'not a type', data: { content: 'Hello' } })).toMatchObject({
      event: { type: 'event', content: 'Hello' },
    })
    expect(parseEvent('{"content":"Hello"}')).toEqual({ event: { type: 'event', content: 'Hello' } })
    expect(parseEvent('{"data":"Hello"}')).toEqual({ event: { type: 'event', content: 'Hello' } })
    expect(parse({ eventId: 17, timestamp: 'yesterday', data: { content: 'x' } })).toEqual({
      event: { type: 'event', content: 'x', eventId: '17' },
    })
  })

  it.each([
    ['it is not JSON', '{"eventId":'],
    ['it is not JSON', ''],
    ['it is not a JSON object', '["a"]'],
    ['it is not a JSON object', 'null'],
    ['it says nothing', '{"eventId":"evt-1","type":"space_message","data":{}}'],
    ['it says nothing', '{"type":"plan","data":{"planId":"p"}}'],
    ['it says nothing', '{"type":"service","data":{"serviceName":"s"}}'],
    ['it is nested too deep, or a number in it too large', '{"data":{"content":"x","n":1e999}}'],
    ['it is nested too deep, or a number in it too large', `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`],
  ])('refuses what nobody can be shown: %s', (fault, text) => {
    expect(parseEvent(text)).toEqual({ fault })
  })

  it('reads own properties only', () => {
    expect(parse({ type: 'constructor', data: JSON.parse('{"__proto__":{"content":"x"}}') })).toMatchObject({
      event: { content: '{"__proto__":{"content":"x"}}' },
    })
  })
})

describe('formatInboxEvent', () => {
  it('writes seed 001’s JSON, under the id of the message', () => {
    const payload = { spaceId: 'alpha', spaceName: 'Project Alpha', senderName: 'Rosa' }
    const post = sampleMessage({ type: 'space_message', createdAt: written, payload, content: 'Pull the numbers' })
    expect(JSON.parse(formatInboxEvent(post))).toEqual({
      eventId: post.id,
      type: 'space_message',
      timestamp: '2026-02-18T15:06:55.000Z',
      data: {
        spaceId: 'alpha',
        spaceName: 'Project Alpha',
        messageId: post.id,
        senderEntityId: 'rosa',
        senderName: 'Rosa',
        senderType: 'agent',
        content: 'Pull the numbers',
      },
    })
    const system = { id: 'system', kind: 'system', verified: true, via: 'plan' }
    const plan = sampleMessage({ type: 'plan', from: system, dedupKey: 'plan_1+0', subject: 'Daily Report' })
    expect(JSON.parse(formatInboxEvent(plan))).toMatchObject({
      eventId: plan.id,
      type: 'plan',
      data: { planName: 'Daily Report' },
    })
  })

  it('begins with the id, and is read back as what it was', () => {
    const mail = sampleMessage({ content: 'Say "hi"\n{"eventId":"msg_0"}' })
    const text = formatInboxEvent(mail)
    expect(text.startsWith(`{"eventId":"${mail.id}",`)).toBe(true)
    expect(parseEvent(text)).toMatchObject({ event: { type: mail.type, content: mail.content, eventId: mail.id } })
  })
})
