import { describe, expect, it } from 'vitest'
import { type Inline, parseInline, parseMarkdown, safeAddress } from './markdown-parse.ts'

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

describe('hostile Markdown', () => {
  const BYTES = 128 * 1024
  const NOISE_US = 10_000
  const UNITS = [
    '**a ',
    '**a',
    '*a ',
    '* a*',
    '_a ',
    '~~a ',
    '`a``',
    '`',
    '``a`',
    '[',
    '[a](',
    '[a](b "',
    '[a](https://a.example "',
    '](',
    'https://a.example/)))))',
    ')',
    '# ',
    '#',
    ' ',
    '- ',
    '> ',
    '~~~ ',
    '***a',
    '_*a_ ',
  ]

  it.each(UNITS)('is read in time that grows with its length: %j', (unit) => {
    const read = (bytes: number) => {
      const line = unit.repeat(Math.ceil(bytes / unit.length))
      const text = [line, `# ${line}b`, `https://x.example/${line}b`].join('\n')
      // The time of this thread alone, because other programs are busy too.
      const begin = process.threadCpuUsage()
      parseMarkdown(text)
      return process.threadCpuUsage(begin).user
    }
    read(BYTES / 8)
    const fastest = (bytes: number) => Math.min(...[1, 2, 3].map(() => read(bytes)))
    // Eight times the length takes 64 times as long where the time is quadratic. Short times are mostly noise.
    expect(fastest(BYTES)).toBeLessThan(24 * Math.max(fastest(BYTES / 8), NOISE_US))
  })

  it('keeps every character of what it cannot read as more than text', () => {
    for (const unit of UNITS) {
      const line = unit.trim().repeat(50)
      expect(textIn(parseInline(line)).length, unit).toBeLessThanOrEqual(line.length)
      if (!/[`_*~[]/.test(unit)) expect(textIn(parseInline(line)), unit).toBe(line)
    }
  })

  it('reads marks of one kind as text where none closes them', () => {
    for (const line of ['**a **b', '~~a ~~b', '`a``b', '[a](b c', '*a b', 'a_b_c'])
      expect(parseInline(line)).toEqual([text(line)])
    expect(parseInline('``a`b``')).toEqual([{ kind: 'code', text: 'a`b' }])
  })
})

function textIn(parts: readonly Inline[]): string {
  return parts.map((part) => ('of' in part ? textIn(part.of) : part.text)).join('')
}
