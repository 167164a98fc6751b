import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../json.ts'
import {
  canonicalBody,
  type FullMessage,
  formatHashedData,
  formatMessageData,
  parseMessageData,
} from './message-data.ts'

const ID = `msg_${'0'.repeat(26)}`
const SHA = 'ab'.repeat(32)
const MESSAGE: FullMessage = {
  message_type: 'review.request',
  subject: 'Look at this',
  priority: 2,
  message_id: ID,
  ts: '2026-04-25T10:00:00.000Z',
  payload: { text: 'please' },
  context: null,
  ref_id: '0.0.5',
  ref_type: 'task',
}

describe('the data of a message', () => {
  it('has the names of the seed, and no field that says nothing', () => {
    expect(JSON.parse(formatMessageData(MESSAGE))).toEqual({
      message_type: 'review.request',
      subject: 'Look at this',
      priority: 2,
      message_id: ID,
      ts: '2026-04-25T10:00:00.000Z',
      payload: { text: 'please' },
      ref_id: '0.0.5',
      ref_type: 'task',
    })
  })

  it('reads back as it was written', () => {
    const payload = fc.jsonValue({ maxDepth: 3 }).filter((value) => !hasNul(value))
    fc.assert(
      fc.property(payload, fc.constantFrom(1, 2, 3, 4, 5), (value, priority) => {
        const message = { ...MESSAGE, payload: JSON.parse(JSON.stringify(value)) as Json, priority: priority as 1 }
        expect(parseMessageData(formatMessageData(message))).toEqual({ mode: 'full', ...message })
      }),
    )
  })

  it('says in mode hash only what the message is, and the hash of the rest', () => {
    const data = formatHashedData(MESSAGE, SHA)
    expect(JSON.parse(data)).toMatchObject({ subject: 'Look at this', sha256: SHA, body: 'not published' })
    expect(data).not.toContain('please')
    expect(data).not.toContain('0.0.5')
    const { payload: _p, context: _c, ref_id: _i, ref_type: _t, ...head } = MESSAGE
    expect(parseMessageData(data)).toEqual({ mode: 'hash', ...head, sha256: SHA })
  })

  it('is read in the form of seed 003', () => {
    const seed = { message_type: 'fyi', subject: 'Hi', payload: {}, ref_id: '0.0.5', ref_type: 'phase', priority: 5 }
    expect(parseMessageData(JSON.stringify(seed))).toEqual({
      mode: 'full',
      ...seed,
      context: null,
      message_id: null,
      ts: null,
    })
  })

  it('takes nothing on trust: what is not as it must be counts as not said', () => {
    const odd = {
      message_type: 'fyi',
      subject: 'Hi',
      priority: 0,
      message_id: 'msg_x',
      ts: 5,
      ref_id: 7,
      ref_type: 'moon',
    }
    expect(parseMessageData(JSON.stringify(odd))).toMatchObject({
      priority: 3,
      message_id: null,
      ts: null,
      ref_id: null,
      ref_type: null,
    })
    const halfHash = { message_type: 'fyi', subject: 'Hi', body: 'not published', sha256: 'x' }
    expect(parseMessageData(JSON.stringify(halfHash))).toMatchObject({ mode: 'full' })
  })

  it.each([
    'plain text',
    'hcs://1/0.0.77',
    '[]',
    '{}',
    '{"subject":"x"}',
    '{"message_type":"Fyi!","subject":"x"}',
    '{"message_type":"fyi","subject":""}',
    `{"message_type":"fyi","subject":"${'x'.repeat(20_000)}"}`,
    '{"message_type":"fyi","subject":"a\\u0000"}',
    `{"message_type":"fyi","subject":"x","payload":${'['.repeat(40)}${']'.repeat(40)}}`,
  ])('is something else where it is not one (%#)', (data) => {
    expect(parseMessageData(data)).toBeUndefined()
  })
})

describe('the body that is hashed', () => {
  it('is one text, in whatever order its fields were written', () => {
    const one = canonicalBody({ ...MESSAGE, payload: { b: [1, { d: 1, c: 2 }], a: 'é' } })
    const other = canonicalBody({ ...MESSAGE, payload: { a: 'é', b: [1, { c: 2, d: 1 }] } })
    expect(one).toBe(other)
    expect(one).toBe('{"context":null,"payload":{"a":"é","b":[1,{"c":2,"d":1}]},"ref_id":"0.0.5","ref_type":"task"}')
  })

  it('differs where anything differs', () => {
    expect(canonicalBody({ ...MESSAGE, payload: [1, 2] })).not.toBe(canonicalBody({ ...MESSAGE, payload: [2, 1] }))
    expect(canonicalBody({ ...MESSAGE, context: {} })).not.toBe(canonicalBody(MESSAGE))
  })
})

function hasNul(value: unknown): boolean {
  return JSON.stringify(value).includes('\\u0000')
}
