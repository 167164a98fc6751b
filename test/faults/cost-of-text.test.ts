import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BLOCK, neutralise } from '../../src/render/neutralise.ts'
import { EXPENSIVE, filled } from '../helpers/drains/expensive-texts.ts'
import { campaign } from '../helpers/tier.ts'

const BYTES = 2 * 1024
/** The most expensive text known: each character is read as six. No other costs twice as much. */
const REFERENCE = '\u3316'
const MOST = 2
const PARTS = [
  ...Object.values(EXPENSIVE),
  ...'< [ & # x % 3 c a ; lt amp &#60 &#x3c; 0 - / | ! sys user postern <| : %26 &lt; 漢 😀 é ǅ ㈱ \u{1f150}'.split(
    ' ',
  ),
]
const part = fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
const pattern = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))

const neutraliseBlock = (text: string) => neutralise(text, BLOCK)

/** The least of several measurements of processor time: what else the machine does only adds to it. */
function costOf(write: (text: string) => unknown, text: string, times = 3): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < times; i++) {
    const before = process.cpuUsage()
    write(text)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
  }
  return least
}

/** The patterns that cost more than they may. A pattern counts only if it still does when it is measured again. */
function tooExpensive(write: (text: string) => unknown, patterns: readonly string[]): string[] {
  const limit = MOST * costOf(neutraliseBlock, filled(REFERENCE, BYTES), 20)
  const isOver = (text: string, times?: number) => costOf(write, text, times) > limit
  return patterns.filter((each) => isOver(filled(each, BYTES)) && isOver(filled(each, BYTES), 20))
}

campaign(
  'costs no more for one text than for another of its size',
  { quick: 10, full: 5_000, long: 50_000 },
  async (n) => {
    expect(tooExpensive(neutraliseBlock, [...Object.values(EXPENSIVE), ...fc.sample(pattern, n)])).toEqual([])
  },
)

it('finds a renderer that reads every part of a ligature', () => {
  expect(tooExpensive((text) => neutraliseBlock(text.normalize('NFKD')), ['\ufdfa'])).toEqual(['\ufdfa'])
})
