import { displayWidth, showField } from '../render/terminal.ts'

const GAP = '  '
const MAX_CELL = 40
const MAX_LINE = 1_000

/** Aligned columns for people. Every cell is neutralised; the last column may use what room is left. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const shown = [header, ...rows.map((row) => row.map((cell) => showField(cell, MAX_LINE)))]
  const widths = header.map((_, at) => Math.min(MAX_CELL, Math.max(...shown.map((row) => displayWidth(row[at] ?? '')))))
  const last = header.length - 1
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0)
  return shown
    .map((row) =>
      row
        .map((cell, at) =>
          at === last
            ? showField(cell, Math.max(20, columns - before))
            : pad(showField(cell, widths[at] ?? 0), widths[at] ?? 0),
        )
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - displayWidth(cell)))
}
