import { QUOTE } from '../../render/fence.ts'
import { displayWidth, showField } from '../../render/terminal.ts'

const GAP = '  '
/** Before a cell on a line of its own, which mostly holds words of somebody else. */
const INDENT = `  ${QUOTE} `
/** Room for the id of an entry of a bus, which somebody may want to name. */
const MAX_CELL = 48
const MAX_LINE = 1_000
const LEAST_ROOM = 20

/**
 * Aligned columns for people. Every cell is neutralised. The last column uses what room is left, or where there is too
 * little a line of its own below the others; no line is wider than the terminal, so none runs on into the next row.
 */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const shown = [header, ...rows.map((row) => row.map((cell) => showField(cell, MAX_LINE)))]
  const widths = header.map((_, at) => Math.min(MAX_CELL, Math.max(...shown.map((row) => displayWidth(row[at] ?? '')))))
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0)
  const hasRoom = columns - before >= LEAST_ROOM

  return shown
    .map((row, index) => {
      const cells = row.slice(0, -1).map((cell, at) => pad(showField(cell, widths[at] ?? 0), widths[at] ?? 0))
      const last = row.at(-1) ?? ''
      if (hasRoom) return [...cells, showField(last, columns - before)].join(GAP).trimEnd()
      const indent = index === 0 ? ' '.repeat(INDENT.length) : INDENT
      return `${showField(cells.join(GAP).trimEnd(), columns)}\n${indent}${showField(last, columns - INDENT.length)}`
    })
    .join('\n')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - displayWidth(cell)))
}
