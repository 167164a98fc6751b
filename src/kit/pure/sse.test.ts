import { describe, expect, it } from 'vitest'
import { createSseParser, type SseEvent } from './sse.ts'

const STREAM = [
  ': a comment',
  'retry: 2500',
  'id: 1',
  'event: message.created',
  'data: {"a":1}',
  '',
  'data',
  'data:  two',
  'data: lines',
  '',
  'id: 2',
  '',
  'event: nothing',
  '',
  'data: later',
  '',
  'data: broken off',
].join('\n')

const EVENTS: readonly SseEvent[] = [
  { event: 'message.created', data: '{"a":1}', id: '1' },
  { event: 'message', data: '\n two\nlines', id: '1' },
  { event: 'message', data: 'later', id: '2' },
]

function parse(pieces: readonly string[]): SseEvent[] {
  const parser = createSseParser()
  return pieces.flatMap((piece) => [...parser.push(piece)])
}

describe('a stream of server-sent events', () => {
  it('is read whatever its lines end with', () => {
    for (const end of ['\n', '\r\n', '\r']) expect(parse([STREAM.replaceAll('\n', end)])).toEqual(EVENTS)
  })

  it('is read wherever its pieces are cut', () => {
    const text = STREAM.replaceAll('\n', '\r\n')
    expect(parse([...text])).toEqual(EVENTS)
    for (let at = 1; at < text.length; at++) expect(parse([text.slice(0, at), text.slice(at)])).toEqual(EVENTS)
  })

  it('may begin with a byte order mark, and says how soon one may come back', () => {
    const parser = createSseParser()
    expect(parser.push('\uFEFFdata: a\n\n')).toEqual([{ event: 'message', data: 'a', id: '' }])
    expect(parser.retryMs).toBeUndefined()
    parser.push('retry: soon\nretry: 300\n')
    expect(parser.retryMs).toBe(300)
  })

  it('keeps an id until another is named, and takes none that holds a NUL', () => {
    expect(parse(['id: 7\ndata: a\n\nid: \0\ndata: b\n\nid\ndata: c\n\n']).map(({ id }) => id)).toEqual(['7', '7', ''])
  })

  it('says where it is, also where only an id came, and not before that came whole', () => {
    const parser = createSseParser()
    parser.push('id: 1\ndata: a\n\n:\nid: 2\n')
    expect(parser.lastId).toBe('1')
    expect(parser.push('\n')).toEqual([])
    expect(parser.lastId).toBe('2')
  })

  it('does not hold more of one event than is allowed', () => {
    const inOneLine = createSseParser({ maxCharacters: 100 })
    expect(() => inOneLine.push(`data: ${'x'.repeat(200)}`)).toThrow(RangeError)
    const inMany = createSseParser({ maxCharacters: 100 })
    expect(() => {
      for (let i = 0; i < 50; i++) inMany.push('data: xxxxx\n')
    }).toThrow(RangeError)
  })
})
