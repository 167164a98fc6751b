import { describe, expect, it } from 'vitest'
import type { InboxMessage } from '../../../../src/model/delivery.ts'
import { groupOf, sectionsOf } from '../../state/inbox-groups.ts'
import { nextAfter, rowsOf, stepFrom } from './inbox-rows.ts'

const message = (id: string, more: Partial<InboxMessage> = {}) =>
  ({
    id,
    type: 'mail',
    to: ['rosa'],
    priority: 2,
    ref: null,
    createdAt: 0,
    inboxSeq: 0,
    state: 'pending',
    ...more,
  }) as InboxMessage

const asks = message('ask', { type: 'decision', ref: 'decision:dec_1' })

describe('the groups of an inbox', () => {
  it('asks only while the question is open', () => {
    expect(groupOf(asks, new Set(['dec_1']))).toBe('decide')
    expect(groupOf(asks, new Set())).toBe('fyi')
  })

  it('tells what is for me from what is good to know', () => {
    expect(groupOf(message('a'), new Set())).toBe('me')
    expect(groupOf(message('a', { to: ['all'] }), new Set())).toBe('fyi')
    expect(groupOf(message('a', { priority: 4 }), new Set())).toBe('fyi')
    expect(groupOf(message('a', { to: ['all'], priority: 0 }), new Set())).toBe('me')
  })

  it('puts the urgent first, then the newest', () => {
    const [, mine] = sectionsOf(
      [message('old', { createdAt: 1 }), message('new', { createdAt: 2 }), message('urgent', { priority: 0 })],
      new Set(),
    )
    expect(mine?.items.map(({ id }) => id)).toEqual(['urgent', 'new', 'old'])
  })
})

describe('the rows of an inbox', () => {
  const rows = rowsOf(sectionsOf([asks, message('b'), message('c', { priority: 4 })], new Set(['dec_1'])), 'all')

  it('have a head for each group that holds something', () => {
    expect(rows.map(({ key }) => key)).toEqual(['head-decide', 'ask', 'head-me', 'b', 'head-fyi', 'c'])
  })

  it('are stepped through over the heads, and not beyond the ends', () => {
    expect(stepFrom(rows, undefined, 1)).toBe('ask')
    expect(stepFrom(rows, 'ask', 1)).toBe('b')
    expect(stepFrom(rows, 'c', 1)).toBe('c')
    expect(stepFrom(rows, 'ask', -1)).toBe('ask')
    expect(stepFrom([], undefined, 1)).toBeUndefined()
  })

  it('close the gap that leaving messages make', () => {
    expect(nextAfter(rows, new Set(['ask']))).toBe('b')
    expect(nextAfter(rows, new Set(['b', 'c']))).toBe('ask')
    expect(nextAfter(rows, new Set(['ask', 'b', 'c']))).toBeUndefined()
  })
})
