import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatHcs10, type Hcs10, isInline, parseHcs10 } from './hcs10.ts'

const OPERATOR = '0.0.789101@0.0.123456'

/** Each as the standard's reference writes it, byte for byte. */
const GOLDEN: readonly (readonly [string, Hcs10, string])[] = [
  [
    'register',
    { op: 'register', account_id: '0.0.123456', inbound_topic_id: '0.0.789101', m: 'Registering' },
    '{"p":"hcs-10","op":"register","account_id":"0.0.123456","inbound_topic_id":"0.0.789101","m":"Registering"}',
  ],
  ['delete', { op: 'delete', uid: '42' }, '{"p":"hcs-10","op":"delete","uid":"42"}'],
  ['migrate', { op: 'migrate', t_id: '0.0.9' }, '{"p":"hcs-10","op":"migrate","t_id":"0.0.9"}'],
  [
    'a request on an inbound topic',
    { op: 'connection_request', operator_id: OPERATOR, m: 'Hello' },
    `{"p":"hcs-10","op":"connection_request","operator_id":"${OPERATOR}","m":"Hello"}`,
  ],
  [
    'a request on an outbound topic',
    { op: 'connection_request', operator_id: OPERATOR, outbound_topic_id: '0.0.5', connection_request_id: 12345 },
    `{"p":"hcs-10","op":"connection_request","operator_id":"${OPERATOR}","outbound_topic_id":"0.0.5","connection_request_id":12345}`,
  ],
  [
    'a confirmation on an inbound topic',
    {
      op: 'connection_created',
      connection_topic_id: '0.0.567890',
      connected_account_id: '0.0.654321',
      operator_id: OPERATOR,
      connection_id: 12345,
    },
    `{"p":"hcs-10","op":"connection_created","connection_topic_id":"0.0.567890","connected_account_id":"0.0.654321","operator_id":"${OPERATOR}","connection_id":12345}`,
  ],
  [
    'a confirmation on an outbound topic',
    {
      op: 'connection_created',
      connection_topic_id: '0.0.567890',
      outbound_topic_id: '0.0.5',
      requestor_outbound_topic_id: '0.0.6',
      confirmed_request_id: 7,
      connection_request_id: 8,
      operator_id: OPERATOR,
    },
    `{"p":"hcs-10","op":"connection_created","connection_topic_id":"0.0.567890","outbound_topic_id":"0.0.5","requestor_outbound_topic_id":"0.0.6","confirmed_request_id":7,"connection_request_id":8,"operator_id":"${OPERATOR}"}`,
  ],
  [
    'a closed connection',
    {
      op: 'connection_closed',
      connection_topic_id: '0.0.567890',
      close_method: 'explicit',
      operator_id: OPERATOR,
      reason: 'Done',
    },
    `{"p":"hcs-10","op":"connection_closed","connection_topic_id":"0.0.567890","close_method":"explicit","operator_id":"${OPERATOR}","reason":"Done"}`,
  ],
  [
    'a message',
    { op: 'message', operator_id: OPERATOR, data: 'hcs://1/0.0.77', m: 'For you' },
    `{"p":"hcs-10","op":"message","operator_id":"${OPERATOR}","data":"hcs://1/0.0.77","m":"For you"}`,
  ],
  [
    'the end of a connection',
    { op: 'close_connection', operator_id: OPERATOR, reason: 'Done' },
    `{"p":"hcs-10","op":"close_connection","operator_id":"${OPERATOR}","reason":"Done"}`,
  ],
  [
    'a transaction to sign',
    { op: 'transaction', operator_id: OPERATOR, schedule_id: '0.0.9', data: 'Pay' },
    `{"p":"hcs-10","op":"transaction","operator_id":"${OPERATOR}","schedule_id":"0.0.9","data":"Pay"}`,
  ],
]

describe('an operation of HCS-10', () => {
  it.each(GOLDEN)('is written and read as the standard has it: %s', (_, operation, text) => {
    expect(formatHcs10(operation)).toBe(text)
    expect(parseHcs10(text)).toEqual(operation)
  })

  it('needs each of its required fields, as it must be', () => {
    for (const [, operation, text] of GOLDEN) {
      const required = Object.keys(operation).filter(
        (name) => !['op', 'm', 'reason', 'inbound_topic_id'].includes(name),
      )
      for (const name of required) {
        const { [name]: _, ...without } = JSON.parse(text)
        // Without the fields of a record a request on an outbound topic is one on an inbound topic.
        if (operation.op === 'connection_request' && name !== 'operator_id') continue
        expect(parseHcs10(JSON.stringify(without)), `${operation.op} without ${name}`).toBeUndefined()
        for (const wrong of [null, {}, [], true, -1, 1.5, ''])
          if (!(name === 'data' && wrong === ''))
            expectRefusedOrText(JSON.stringify({ ...without, [name]: wrong }), name, wrong)
      }
    }
  })

  it('reads a message in the form of seed 003: its data becomes text and holds the time', () => {
    const seed = { message_type: 'task.blocked', subject: 'Stuck', payload: {}, ref_id: '0.0.5', priority: 1 }
    const text = JSON.stringify({
      p: 'hcs-10',
      op: 'message',
      operator_id: OPERATOR,
      data: seed,
      ts: '2026-04-25T10:00:00Z',
    })
    const message = parseHcs10(text)
    expect(message?.op === 'message' && JSON.parse(message.data)).toEqual({ ...seed, ts: '2026-04-25T10:00:00Z' })
    expect(message && JSON.parse(formatHcs10(message)).data).toBeTypeOf('string')
  })

  it('keeps the time that the data of a seed message names itself', () => {
    const text = JSON.stringify({
      p: 'hcs-10',
      op: 'message',
      operator_id: OPERATOR,
      data: { ts: 'inner' },
      ts: 'outer',
    })
    expect(parseHcs10(text)).toEqual({ op: 'message', operator_id: OPERATOR, data: '{"ts":"inner"}' })
  })

  it('drops fields that it does not have', () => {
    const text = JSON.stringify({ p: 'hcs-10', op: 'delete', uid: '1', __proto__x: 1, op2: 'x', t_id: '0.0.1' })
    expect(parseHcs10(text)).toEqual({ op: 'delete', uid: '1' })
  })

  it.each([
    '',
    'null',
    '[]',
    '"hcs-10"',
    '{',
    '{"p":"hcs-10"}',
    '{"p":"hcs-20","op":"delete","uid":"1"}',
    '{"p":"hcs-10","op":"toString"}',
    '{"p":"hcs-10","op":"__proto__"}',
    '{"p":"hcs-10","op":"delete","uid":1}',
    '{"p":"hcs-10","op":"delete","uid":"1","m":5}',
    '{"p":"hcs-10","op":"message","operator_id":"0.0.1","data":"x"}',
    `{"p":"hcs-10","op":"message","operator_id":"${OPERATOR}","data":[1]}`,
    `{"p":"hcs-10","op":"message","operator_id":"${OPERATOR}","data":"a\\u0000b"}`,
    `{"p":"hcs-10","op":"message","operator_id":"${OPERATOR}","data":"\\ud800"}`,
    `{"p":"hcs-10","op":"message","operator_id":"${OPERATOR}","data":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`,
    '['.repeat(200_000),
  ])('is nothing where the entry is foreign or broken (%#)', (text) => {
    expect(parseHcs10(text)).toBeUndefined()
  })

  it('never throws, and what it reads it can write and read again', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('0.0.1', OPERATOR, 1, 'explicit', 'x'))
    const op = fc.constantFrom(...GOLDEN.map(([, operation]) => operation.op), 'other')
    const names = [...new Set(GOLDEN.flatMap(([, operation]) => Object.keys(operation)))].filter(
      (name) => name !== 'op',
    )
    const fields = fc.dictionary(fc.constantFrom(...names, 'ts', 'constructor'), value)
    fc.assert(
      fc.property(op, fields, (name, rest) => {
        const read = parseHcs10(JSON.stringify({ p: 'hcs-10', ...rest, op: name }))
        if (read) expect(parseHcs10(formatHcs10(read))).toEqual(read)
      }),
    )
    fc.assert(fc.property(fc.string(), (text) => parseHcs10(text) === undefined))
  })
})

describe('the room on a topic', () => {
  it('is counted in bytes, up to the limit of the reference', () => {
    expect(isInline('x'.repeat(1000))).toBe(true)
    expect(isInline('x'.repeat(1001))).toBe(false)
    expect(isInline('é'.repeat(501))).toBe(false)
  })
})

/** An object as data is the seed's form; everything else that is no text is refused. */
function expectRefusedOrText(text: string, name: string, wrong: unknown): void {
  const read = parseHcs10(text)
  const isSeedForm = name === 'data' && JSON.stringify(wrong) === '{}' && text.includes('"op":"message"')
  expect(read === undefined).toBe(!isSeedForm)
}
