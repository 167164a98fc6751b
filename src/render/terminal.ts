import { lazy } from '../kit/pure/lazy.ts'
import { QUOTE, quoteLines } from './fence.ts'
import { BLOCK, LINE, neutralise, neutraliseTo } from './neutralise.ts'

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
    // A tab moves to a stop that is not known here; it counts as the widest it can be.
    const step = character === '\t' ? TAB_COLUMNS : widthOf(character)
    if (width + step > columns) {
      rows.push(row)
      row = CONTINUATION
      width = displayWidth(CONTINUATION)
    }
    row += character
    width += step
  }
  return [...rows, row]
}
