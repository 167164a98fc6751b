import type { Goal, Outcome, Verdict } from './harness.ts'

/** The whole run as text: ratios with their goals first, then the figures they come from. */
export function formatOutcomes(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ title, verdicts }) => verdicts.map((verdict) => cells(title, verdict)))
  const header = ['goal', 'subject', 'ours against', 'reached', 'spread', 'asked', '']
  const figures = outcomes.flatMap((outcome) => [`  ${outcome.title}`, ...figureLines(outcome)])
  return [...align([header, ...rows]), '', 'Figures of this run (they mean nothing elsewhere):', ...figures].join('\n')
}

function cells(title: string, { goal, value, lowest, highest, isMet, why }: Verdict): string[] {
  const subject = goal.ours === 'postern' ? title : `${title} (${goal.ours.replace(/^postern /, '')})`
  const asked = `${(goal.faster ?? goal.atLeast) ? '≥' : '≤'} ${show(goal, limitOf(goal))}`
  if (value === undefined) return [goal.id, subject, goal.than ?? '', 'missing', '', asked, `– ${why}`]
  const spread = `${show(goal, lowest!)} … ${show(goal, highest!)}`
  return [goal.id, subject, goal.than ?? '', show(goal, value), spread, asked, isMet ? '✓ met' : '✗ NOT MET']
}

function limitOf({ faster, within, atMost, atLeast }: Goal): number {
  return faster ?? within ?? atMost ?? atLeast ?? Number.NaN
}

function show(goal: Goal, value: number): string {
  if (goal.than !== undefined) return `${value.toFixed(value < 0.1 ? 3 : 2)}x`
  return isPlain(goal.ours) ? String(Math.round(value * 100) / 100) : formatMs(value)
}

/** Figures that are not times. */
function isPlain(name: string): boolean {
  return /(fairness|lost|bytes written|packages|kept up|growth|MiB|a second|over|cores at work)$/.test(name)
}

function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return ms >= 0.1 || ms === 0 ? `${ms.toFixed(ms >= 10 ? 1 : 2)} ms` : `${(ms * 1000).toFixed(1)} µs`
}

function figureLines({ figures, missing }: Outcome): string[] {
  const known = Object.entries(figures).map(([name, value]) => [
    `    ${name}`,
    isPlain(name) ? String(Math.round(value * 100) / 100) : formatMs(value),
  ])
  return align([...known, ...Object.entries(missing).map(([name, why]) => [`    ${name}`, `missing: ${why}`])])
}

function align(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? []
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
}
