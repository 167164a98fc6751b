import { describe, expect, it } from 'vitest'
import { parseInline, parseMarkdown, safeAddress } from './markdown-parse.ts'

const text = (value: string) => ({ kind: 'text', text: value })

describe('Markdown of messages', () => {
  it('reads blocks in their order', () => {
    const blocks = parseMarkdown(
      '# Title\n\ntext\nmore\n\n- one\n- two\n  goes on\n\n1. first\n\n> said\n\n---\n```ts\na < b\n```\nend',
    )
    expect(blocks.map(({ kind }) => kind)).toEqual([
      'heading',
      'paragraph',
      'list',
      'list',
      'quote',
      'rule',
      'code',
      'paragraph',
    ])
    expect(blocks[2]).toEqual({ kind: 'list', isOrdered: false, items: [[text('one')], [text('two goes on')]] })
    expect(blocks[6]).toEqual({ kind: 'code', text: 'a < b' })
  })

  it('reads emphasis, code and links within a line', () => {
    expect(parseInline('a **b** *c* `d*e*` [f](https://g.example/) ~~h~~')).toEqual([
      text('a '),
      { kind: 'strong', of: [text('b')] },
      text(' '),
      { kind: 'em', of: [text('c')] },
      text(' '),
      { kind: 'code', text: 'd*e*' },
      text(' '),
      { kind: 'link', href: 'https://g.example/', of: [text('f')] },
      text(' '),
      { kind: 'del', of: [text('h')] },
    ])
  })

  it('leaves names with underscores and sums with stars as they are', () => {
    expect(parseInline('msg_id of snake_case_name, 2 * 3 * 4')).toEqual([text('msg_id of snake_case_name, 2 * 3 * 4')])
  })

  it('links to nothing that a browser would run', () => {
    for (const target of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      '/ui/x',
      '//x.example',
      'file:///etc',
    ])
      expect(safeAddress(target), target).toBeUndefined()
    expect(parseInline('[x](javascript:alert(1))')[0]?.kind).toBe('text')
    expect(safeAddress('mailto:a@b.example')).toBe('mailto:a@b.example')
  })

  it('keeps tags as text', () => {
    expect(parseMarkdown('<img src=x onerror=alert(1)>')).toEqual([
      { kind: 'paragraph', lines: [[text('<img src=x onerror=alert(1)>')]] },
    ])
  })

  it('ends an address before the sentence does', () => {
    expect(parseInline('see https://x.example/a.')).toEqual([
      text('see '),
      { kind: 'link', href: 'https://x.example/a', of: [text('https://x.example/a')] },
      text('.'),
    ])
  })

  it('ends for every text, in bounded time', () => {
    const nasty = [
      '*'.repeat(5_000),
      '['.repeat(5_000),
      '> '.repeat(2_000),
      '`'.repeat(4_001),
      '_a'.repeat(5_000),
      '~~'.repeat(4_000),
    ]
    for (const each of nasty) {
      const startedAt = performance.now()
      parseMarkdown(each)
      // It takes some milliseconds. A parser that tries every way would never end.
      expect(performance.now() - startedAt, each.slice(0, 4)).toBeLessThan(10_000)
    }
  })
})
