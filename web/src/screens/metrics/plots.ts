import type { MetricSeries } from '../../../../src/model/metrics.ts'
import { PRIORITIES } from '../../../../src/model/priority.ts'
import { formatSpan } from '../../parts/time-text.ts'

/** One line of a plot. Its colour is the name of a custom property. */
export interface Line {
  readonly label: string
  readonly colour: string
  readonly values: readonly (number | null)[]
}

export interface PlotOf {
  readonly title: string
  /** Columns stand for counts of a step, lines for what lasts. */
  readonly kind: 'columns' | 'lines' | 'stacked'
  readonly unit: 'count' | 'ms'
  /** Seconds since 1970, as uPlot counts. */
  readonly at: readonly number[]
  readonly lines: readonly Line[]
}

const COLOURS = ['--accent', '--teal', '--amber', '--violet', '--red', '--green', '--blue']
const PRIORITY_COLOURS = ['--red', '--amber', '--accent', '--teal', '--text-faint']
const MOST_AGENTS = 6

export function plotsOf(series: MetricSeries): readonly PlotOf[] {
  const at = series.at.map((time) => time / 1_000)
  const per = formatSpan(series.stepMs)
  const one = (title: string, kind: PlotOf['kind'], unit: PlotOf['unit'], lines: readonly Line[]): PlotOf => ({
    title,
    kind,
    unit,
    at,
    lines,
  })
  const percentiles = ({ p50, p95 }: MetricSeries['seenMs']): readonly Line[] => [
    { label: 'p95', colour: '--amber', values: p95 },
    { label: 'p50', colour: '--accent', values: p50 },
  ]
  return [
    one(`Messages pushed, each ${per}`, 'columns', 'count', [
      { label: 'pushed', colour: '--accent', values: series.pushed },
    ]),
    one(
      'Not seen yet, by priority',
      'stacked',
      'count',
      series.pending.map((values, priority) => ({
        label: PRIORITIES[priority] ?? String(priority),
        colour: PRIORITY_COLOURS[priority] ?? '--accent',
        values,
      })),
    ),
    one('Age of the oldest that waits', 'lines', 'ms', [{ label: 'oldest', colour: '--red', values: series.oldestMs }]),
    one('From push to seen', 'lines', 'ms', percentiles(series.seenMs)),
    one('Time of a hook, from offer to printed', 'lines', 'ms', percentiles(series.hookMs)),
    one(`Shown again, each ${per}`, 'columns', 'count', [
      { label: 'redelivered', colour: '--amber', values: series.redelivered },
    ]),
    one(
      `Tokens shown, each ${per}`,
      'columns',
      'count',
      series.tokens.slice(0, MOST_AGENTS).map(({ agent, shown }, index) => ({
        label: agent,
        colour: COLOURS[index % COLOURS.length] ?? '--accent',
        values: shown,
      })),
    ),
  ].filter(({ lines }) => lines.length > 0)
}

/** Running sums, so that each line stands on those before it. */
export function stack(lines: readonly Line[]): readonly (readonly (number | null)[])[] {
  const sums: number[] = []
  return lines.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0)
      return sums[at] ?? 0
    }),
  )
}

interface Figure {
  readonly name: string
  readonly value: string
}

const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0)

/** What one wants to know before looking at any plot. */
export function figuresOf(series: MetricSeries): readonly Figure[] {
  const last = (values: readonly (number | null)[]) => values.findLast((value) => value !== null) ?? null
  const span = (value: number | null) => (value === null ? '–' : formatSpan(value))
  return [
    { name: 'pushed', value: sum(series.pushed).toLocaleString('en') },
    { name: 'not seen yet', value: sum(series.pending.map((values) => values.at(-1) ?? 0)).toLocaleString('en') },
    { name: 'oldest waits', value: span(series.oldestMs.at(-1) ?? null) },
    { name: 'push to seen, p50', value: span(last(series.seenMs.p50)) },
    { name: 'push to seen, p95', value: span(last(series.seenMs.p95)) },
    { name: 'shown again', value: sum(series.redelivered).toLocaleString('en') },
    { name: 'tokens shown', value: sum(series.tokens.map(({ shown }) => sum(shown))).toLocaleString('en') },
  ]
}
