import { describe, expect, it } from 'vitest'
import { nameFiring, parseFields, readEvent, readField, readPath, readSession, readWord } from './fields.ts'

const LONG = 'x'.repeat(10_000_000)

/** With a name short enough to be read. */
const cases = (...values: readonly unknown[]) =>
  values.map((value) => [`${JSON.stringify(value)}`.slice(0, 20), value] as const)

describe('a field of an event', () => {
  it.each([null, undefined, 1, 'text', true, [], [{}]])('is not looked for in %j', (input) => {
    expect(parseFields(input)).toBeUndefined()
  })

  it('is never one that every object has', () => {
    expect(readField({}, 'constructor')).toBeUndefined()
    expect(readField(JSON.parse('{"__proto__":{"cwd":"/"}}'), 'cwd')).toBeUndefined()
  })

  it.each(['/', '/home/ana/my project', '/home/ana/ünï'])('is taken as a path: %j', (path) => {
    expect(readPath(path)).toBe(path)
  })

  it.each(
    cases('', '.', 'home/ana', '~/x', 'C:\\x', '/home/\0x', `/${LONG}`, 7, null, ['/x']),
  )('is not taken as a path: %s', (_, value) => {
    expect(readPath(value)).toBeNull()
  })

  it.each(
    cases('../../etc/passwd', 'a/b', 'a\\b', 'a b', 'a\nb', '', 'x'.repeat(201), LONG, 7, null, {}, 'ä'),
  )('is not taken as a session: %s', (_, value) => {
    expect(readSession({ session_id: value }, 'session_id')).toBeNull()
  })

  it.each(cases('', 'a\nb', 'a\x1b[2J', 'a\0', LONG, 7, null, ['a']))('is not taken as a word: %s', (_, value) => {
    expect(readWord({ word: value }, 'word')).toBeNull()
  })

  it.each(
    cases('', '__proto__', 'a b', 'Stop\n', 'Stop"', LONG, 7, null),
  )('is not taken as an event’s name: %s', (_, value) => {
    expect(readEvent({ hook_event_name: value }, 'hook_event_name')).toBeUndefined()
  })
})

describe('the name of a firing', () => {
  const event = { name: 'tool.after', hostEvent: 'PostToolUse', sessionId: 's1' } as const

  it('is none without a session or a mark', () => {
    expect(nameFiring({ ...event, sessionId: null }, 't1')).toBeNull()
    expect(nameFiring(event, 't1', null)).toBeNull()
  })

  it('is the same for two hosts that call the event differently', () => {
    expect(nameFiring(event, 't1')).toBe(nameFiring({ ...event, hostEvent: 'postToolUse' }, 't1'))
  })

  it('keeps apart what only together reads the same', () => {
    expect(nameFiring(event, 'a","b')).not.toBe(nameFiring(event, 'a', 'b'))
    expect(nameFiring({ ...event, name: 'other' }, 't1')).not.toBe(nameFiring(event, 't1'))
  })
})
