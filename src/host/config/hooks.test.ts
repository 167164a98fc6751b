import { describe, expect, it } from 'vitest'
import { HOOK_EVENTS } from '../../hooks/hosts/host.ts'
import { parseUserHooks, USER_EVENTS } from './hooks.ts'

const HOOK = { event: 'turn.stop', command: 'true' }

describe('hooks of the user’s own', () => {
  it('have their own priority and timeout, or the defaults', () => {
    expect(parseUserHooks([HOOK, { ...HOOK, priority: 12, timeoutMs: 50 }])).toEqual([
      { ...HOOK, priority: 25, timeoutMs: 1_000 },
      { ...HOOK, priority: 12, timeoutMs: 50 },
    ])
  })

  it('may run for every event of a host, and for the answer to a decision', () => {
    expect(USER_EVENTS.toSorted()).toEqual(
      [...HOOK_EVENTS.filter((name) => name !== 'other'), 'decision.responded'].toSorted(),
    )
  })

  it.each<[string, unknown, RegExp]>([
    ['no list', {}, /"hooks" is not a list/],
    ['too many', Array(51).fill(HOOK), /at most 50/],
    ['nothing', [null], /"hooks\[0\]" needs an event and a command/],
    ['no command', [{ event: 'turn.stop' }], /needs an event and a command/],
    ['an empty command', [{ ...HOOK, command: ' ' }], /needs an event and a command/],
    ['an event that never comes', [HOOK, { ...HOOK, event: 'turn.stopp' }], /"hooks\[1\]" names no event/],
    ['a word that is misspelt', [{ ...HOOK, timeout: 5 }], /"timeout"/],
    ['half a priority', [{ ...HOOK, priority: 1.5 }], /priority/],
    ['no time at all', [{ ...HOOK, timeoutMs: 0 }], /timeoutMs/],
    ['more time than there is', [{ ...HOOK, timeoutMs: 60_001 }], /timeoutMs/],
  ])('are refused with %s', (_, value, words) => {
    expect(() => parseUserHooks(value)).toThrow(words)
  })
})
