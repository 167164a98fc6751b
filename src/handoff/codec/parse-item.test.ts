import { describe, expect, it } from 'vitest'
import { seedItem } from '../../../test/helpers/handoff/projects.ts'
import { parseItem } from './parse-item.ts'

const SEED = { from_session: '2026-01-10-auth', type: 'learning', priority: 'high', created: '2026-01-10T18:30:00Z' }

describe('parseItem', () => {
  it('reads what the seed writes', () => {
    expect(parseItem(seedItem(SEED, 'One.\n\n- two\n- three'))).toEqual({
      type: 'learning',
      priority: 'high',
      from_session: '2026-01-10-auth',
      created: '2026-01-10T18:30:00Z',
      to: null,
      to_repo: null,
      gate: null,
      plan: null,
      extra: {},
      body: 'One.\n\n- two\n- three',
    })
  })

  it('reads it with the line ends of Windows, and leaves those of the body', () => {
    const text = seedItem(SEED, 'One.\nTwo.').replaceAll('\n', '\r\n')
    expect(parseItem(text)).toMatchObject({ type: 'learning', from_session: '2026-01-10-auth', body: 'One.\r\nTwo.' })
  })

  it('takes nothing of the body for a field', () => {
    const body = 'type: caution\n---\npriority: low\n---\nfrom_session: other'
    expect(parseItem(seedItem(SEED, body))).toMatchObject({ type: 'learning', priority: 'high', body })
  })

  it('reads fields of ours, and keeps those of others', () => {
    const more = {
      to: 'quinn',
      to_repo: 'borealis',
      gate: 'gate_1',
      plan: 'plan_1',
      author: 'ann',
      tags: '[a, 1]',
      none: '~',
    }
    expect(parseItem(seedItem({ ...SEED, ...more }, 'x'))).toMatchObject({
      to: 'quinn',
      to_repo: 'borealis',
      gate: 'gate_1',
      plan: 'plan_1',
      extra: { author: 'ann', tags: '["a","1"]', none: '' },
    })
  })

  it('keeps a field of others that every object has', () => {
    const { extra } = parseItem(seedItem({ ...SEED, ['__proto__']: 'x', constructor: 'y' }, 'x'))
    expect(Object.entries(extra)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  it.each([
    ['no priority', {}, 'medium'],
    ['an unknown priority', { priority: 'urgent' }, 'medium'],
    ['a priority in capitals', { priority: 'HIGH' }, 'high'],
    ['a priority in quotes', { priority: '"low"' }, 'low'],
  ])('gives an item with %s one', (_, fields, priority) => {
    const item = parseItem(seedItem({ type: 'thread', ...fields }, 'x'))
    expect(item).toMatchObject({ type: 'thread', priority, from_session: null, created: null })
  })

  it.each([
    ['no front matter', 'Just a note.\n'],
    ['nothing', ''],
    ['front matter that is not closed', '---\ntype: learning\n\nx\n'],
    ['front matter that is no map', '---\n- type: learning\n---\n\nx\n'],
    ['front matter that is not valid', '---\ntype: learning\nfrom_session: a: b\n---\n\nx\n'],
    ['front matter that says a thing twice', '---\ntype: learning\ntype: caution\n---\n\nx\n'],
    ['an alias', '---\ntype: &a learning\nextra: *a\n---\n\nx\n'],
    ['too many parts', `---\ntype: learning\nx: [${'a,'.repeat(3_000)}]\n---\n\nx\n`],
    ['no type', '---\npriority: high\n---\n\nx\n'],
    ['an unknown type', '---\ntype: rumour\npriority: high\n---\n\nx\n'],
    ['a type that is no text', '---\ntype: [learning]\n---\n\nx\n'],
    ['a byte order mark alone', '\ufeffnote\r\n'],
  ])('keeps all of a text with %s', (_, text) => {
    expect(parseItem(text)).toMatchObject({ type: null, priority: 'medium', from_session: null, body: text })
  })
})
