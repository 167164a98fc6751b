import { lazy } from '../kit/pure/lazy.ts'
import { QUOTE, quoteLines } from './fence.ts'
import { BLOCK, LINE, neutralise, neutraliseTo } from './neutralise.ts'
import { findReserved } from './reserved.ts'
import { spellOut } from './unseen.ts'

/** One field of a table: a single harmless line of at most `maxWidth` columns. */
export function showField(text: string, maxWidth: number): string {
  return neutraliseTo(maxWidth, text, LINE, widthOf)
}

/** Text of several lines, each marked as quoted. */
export function showBlock(text: string): string {
  return quoteLines(neutralise(text, BLOCK)).join('\n')
}

/** How many columns a text of one line takes. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

/** Made with the first character beyond ASCII: V8 takes longer to read them than most commands to run. */
const mark = lazy(() => /\p{M}/u)
const wide = lazy(
  () =>
    /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u,
)

function widthOf(character: string): number {
  if (character <= '~') return 1
  if (mark().test(character)) return 0
  return wide().test(character) ? 2 : 1
}

const NARROWEST = 20
const TAB_COLUMNS = 8
const CONTINUATION = `${QUOTE} `

/**
 * Breaks lines that a terminal would wrap. Otherwise a row begun by the terminal has no prefix, and a long line padded
 * with blanks could draw a frame of its own there. Every continuation counts as quoted, whatever line it continues.
 */
export function foldLines(text: string, columns: number): string {
  const width = Math.max(columns, NARROWEST)
  return text
    .split('\n')
    .flatMap((line) => foldLine(line, width))
    .join('\n')
}

function foldLine(line: string, columns: number): readonly string[] {
  const rows: string[] = []
  let row = ''
  let width = 0
  for (const character of line) {
    const step = stepOf(character)
    while (width + step > columns) {
      const [kept, carried] = breakRow(row)
      rows.push(kept)
      row = `${CONTINUATION}${carried}`
      width = [...row].reduce((sum, each) => sum + stepOf(each), 0)
    }
    row += character
    width += step
  }
  return [...rows, row]
}

/** A tab moves to a stop that is not known here; it counts as the widest it can be. */
function stepOf(character: string): number {
  return character === '\t' ? TAB_COLUMNS : widthOf(character)
}

/**
 * Splits a full row into the row and its carry. A row's end also ends a word and could turn a longer word into a
 * reserved tag. Such a word moves to the next row; if it fills the row, its bracket is escaped.
 */
function breakRow(row: string): readonly [string, string] {
  const at = findReserved(`${row}\n`)[0]
  if (at === undefined) return [row, '']
  const start = row.startsWith(CONTINUATION) ? CONTINUATION.length : 0
  if (at > start) return [row.slice(0, at), row.slice(at)]
  const bracket = String.fromCodePoint(row.codePointAt(at) ?? 0)
  return [`${row.slice(0, at)}${spellOut(bracket)}`, row.slice(at + bracket.length)]
}
