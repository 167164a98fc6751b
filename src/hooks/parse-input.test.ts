import { describe, expect, it } from 'vitest'
import { claudeCode } from './hosts/claude-code.ts'
import { parseInput } from './parse-input.ts'

const STOP = { hook_event_name: 'Stop', session_id: 's1', cwd: '/srv' }

describe('the input of a hook', () => {
  it('is one event, with or without a byte order mark', () => {
    for (const mark of ['', '\uFEFF']) {
      const { event, fault } = parseInput(claudeCode, 'quinn', `${mark}${JSON.stringify(STOP)}`)
      expect(event).toMatchObject({ name: 'turn.stop', sessionId: 's1', cwd: '/srv' })
      expect(fault).toBeUndefined()
    }
  })

  it.each([
    ['nothing', ' \n', /empty/],
    ['half an object', '{"hook_event_name":', /not JSON/],
    ['a list', '[]', /no event of this host/],
    ['an event of another program', JSON.stringify({ ...STOP, cursor_version: '1' }), /no event of this host/],
  ])('is refused as %s', (_, text, fault) => {
    expect(parseInput(claudeCode, 'quinn', text)).toEqual({ fault: expect.stringMatching(fault) })
  })

  it('keeps an event that names no session or no agent, and says what is missing', () => {
    const nameless = JSON.stringify({ ...STOP, session_id: '' })
    expect(parseInput(claudeCode, 'quinn', nameless)).toMatchObject({
      event: { name: 'turn.stop', sessionId: null },
      fault: expect.stringContaining('session'),
    })
    expect(parseInput(claudeCode, undefined, JSON.stringify(STOP))).toMatchObject({
      event: { sessionId: 's1' },
      fault: expect.any(String),
    })
  })
})
