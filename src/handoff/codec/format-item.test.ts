import { describe, expect, it } from 'vitest'
import { DRAFT } from '../../../test/helpers/handoff/projects.ts'
import { formatItem } from './format-item.ts'

const format = (draft: Partial<typeof DRAFT>) => formatItem({ ...DRAFT, ...draft }).toString()

describe('formatItem', () => {
  it('writes the format of the seed', () => {
    expect(format({ from_session: '2026-01-10-auth-implementation', priority: 'high', body: 'One.\n\nTwo.' })).toBe(
      '---\nfrom_session: 2026-01-10-auth-implementation\ntype: learning\npriority: high\n' +
        'created: 2026-01-10T18:30:00Z\n---\n\nOne.\n\nTwo.\n',
    )
  })

  it('writes fields of ours below those of the seed, where they are set', () => {
    const text = format({ to: 'quinn', to_repo: 'atlas', gate: 'gate_1', plan: 'plan_1' })
    expect(text).toContain(
      'created: 2026-01-10T18:30:00Z\nto: quinn\nto_repo: atlas\ngate: gate_1\nplan: plan_1\n---\n',
    )
  })

  it.each([
    ['a date and a branch', '2026-01-10-feature/auth', '2026-01-10-feature/auth'],
    ['a UUID', '0b5c1e3a-1111-4222-8333-123456789abc', '0b5c1e3a-1111-4222-8333-123456789abc'],
    ['words', 'the session before', 'the session before'],
    ['a date alone', '2026-01-10', '"2026-01-10"'],
    ['a number', '012', '"012"'],
    ['lines', 'a\ntype: caution', '"a\\ntype: caution"'],
    ['what YAML takes for more', 'a: b # c', '"a: b # c"'],
    ['a word that YAML takes for another thing', 'yes', '"yes"'],
  ])('writes %s so that every YAML reads it as a text', (_, from_session, written) => {
    expect(format({ from_session })).toContain(`\nfrom_session: ${written}\n`)
  })

  it.each([
    ['is too large', { body: 'x'.repeat(64 * 1024) }, 'it has 65638 bytes, and at most 65536 are taken'],
    ['is no text', { body: '\ud800' }, 'a text in it has a lone surrogate'],
    ['has a name that is no text', { to: '\ud800' }, 'its to has a lone surrogate'],
  ])('refuses an item that %s', (_, draft, reason) => {
    expect(() => format(draft)).toThrow(expect.objectContaining({ code: 'HANDOFF_ITEM_INVALID', details: { reason } }))
  })
})
