import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines } from './diff.ts'

const shown = (before: string, after: string) =>
  diffLines(before, after).map((line) => (line === null ? '…' : line.sign + line.text))

describe('diffLines', () => {
  it('shows what changed with a little of what stands around', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\n-\nh\ni\nj\n'
    expect(shown(before, before.replace('e\n', 'e\nnew\n').replace('j', 'J'))).toEqual([
      '…',
      ' d',
      ' e',
      '+new',
      ' f',
      ' g',
      '…',
      ' h',
      ' i',
      '-j',
      '+J',
    ])
  })

  it('shows a new file and one that goes whole, and nothing where nothing changed', () => {
    expect(shown('', 'a\nb\n')).toEqual(['+a', '+b'])
    expect(shown('a\nb\n', '')).toEqual(['-a', '-b'])
    expect(shown('a\nb\n', 'a\nb\n')).toEqual([])
  })

  it('leads from the one to the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 5 }).map((all) => all.join('\n'))
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        fc.pre(before !== after && before !== '' && after !== '')
        const all = diffLines(before, after).filter((line) => line !== null)
        const side = (sign: string) => all.filter((line) => line.sign !== sign).map(({ text }) => text)
        const without = (text: string) => text.replace(/\n$/, '').split('\n')
        expect(without(before).join('\n')).toContain(side('+').join('\n'))
        expect(without(after).join('\n')).toContain(side('-').join('\n'))
      }),
    )
  })
})
