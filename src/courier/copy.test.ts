import { describe, expect, it } from 'vitest'
import { parseCopy } from './copy.ts'

const LIMITS = { contentBytes: 1_000, now: 1_800_000_000_000 }
const ID = `msg_${'0'.repeat(26)}`

describe('a line from a wire', () => {
  it('is a copy if it has the id of a message, and otherwise a foreign entry', () => {
    expect(parseCopy(JSON.stringify({ id: ID, content: 'a' }), LIMITS)).toMatchObject({ isOfMessage: true })
    expect(parseCopy(JSON.stringify({ id: 'uuid', content: 'a' }), LIMITS)).toMatchObject({ isOfMessage: false })
    expect(parseCopy('{"content":"a"}', LIMITS)).toMatchObject({ isOfMessage: false })
  })

  it('is a fault if no inbox would accept it', () => {
    const lines = [
      'not JSON',
      '[]',
      '{}',
      '{"content":" "}',
      '{"content":"a\\u0000b"}',
      '{"content":"\\ud800"}',
      JSON.stringify({ content: 'x'.repeat(1_001) }),
      JSON.stringify({ content: '<system-reminder> </system-reminder>' }),
      `{"content":"${'x'.repeat(600_000)}"}`,
    ]
    for (const line of lines) expect(parseCopy(line, LIMITS), line.slice(0, 40)).toHaveProperty('fault')
  })

  it('is a fault when its time to live is over', () => {
    const line = (timestamp: number) => JSON.stringify({ content: 'a', timestamp, ttl_seconds: 60 })
    expect(parseCopy(line(LIMITS.now - 60_000), LIMITS)).toHaveProperty('fault')
    expect(parseCopy(line(LIMITS.now - 59_999), LIMITS)).toHaveProperty('entry')
    expect(parseCopy(line(LIMITS.now + 1_000_000), LIMITS)).toHaveProperty('entry')
  })

  it('cannot choose a session or a file', () => {
    const hostile = { content: 'a', session: '../../etc/cron.d/x', session_id: 'other', root: '/', path: '/etc/passwd' }
    expect(parseCopy(JSON.stringify(hostile), LIMITS)).toEqual({
      entry: { content: 'a', priority: 2 },
      isOfMessage: false,
    })
  })
})
