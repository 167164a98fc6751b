import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatClock, formatDay, formatSpan } from '../../parts/time-text.ts'
import { theme } from '../../shell/theme.ts'
import { type PlotOf, stack } from './plots.ts'

const HEIGHT = 150
const DAY_SECONDS = 86_400

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000] as const

/** Distances between the lines of a scale of time, such as people count in. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 10].map((count) => count * DAY),
]

/** One plot. The figures of its last step stand beside its title, for those who do not see it. */
export function Plot({ plot }: { readonly plot: PlotOf }) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const drawn = new uPlot(optionsOf(plot, element.clientWidth), dataOf(plot), element)
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
    }
  }, [plot, theme.value])
  return (
    <figure class="plot">
      <figcaption>
        <span>{plot.title}</span>
        {plot.lines.length > 1 && (
          <span class="plot-legend">
            {plot.lines.map(({ label, colour }) => (
              <span key={label} class={`plot-key plot-key${colour}`}>
                {label}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <div ref={frame} class="plot-frame" role="img" aria-label={wordsOf(plot)} />
    </figure>
  )
}

function wordsOf({ title, lines, unit }: PlotOf): string {
  const last = lines.map(({ label, values }) => {
    const value = values.findLast((each) => each !== null) ?? null
    return `${label} ${value === null ? 'nothing' : formatValue(value, unit)}`
  })
  return `${title}. Last: ${last.join(', ')}`
}

function dataOf(plot: PlotOf): uPlot.AlignedData {
  const columns = plot.kind === 'stacked' ? [...stack(plot.lines)].reverse() : plot.lines.map(({ values }) => values)
  return [[...plot.at], ...columns.map((values) => [...values])]
}

function optionsOf(plot: PlotOf, width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const lines = plot.kind === 'stacked' ? plot.lines.toReversed() : plot.lines
  const axis = {
    stroke: colour('--text-faint'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${colour('--font')}`,
  }
  const isLong = (plot.at.at(-1) ?? 0) - (plot.at[0] ?? 0) > DAY_SECONDS
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    padding: [8, 18, 0, 0],
    scales: { y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(1, (high ?? 0) * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 26,
        space: 70,
        values: (_, marks) => marks.map((mark) => (isLong ? formatDay(mark * 1_000) : formatClock(mark * 1_000))),
      },
      {
        ...axis,
        size: 54,
        space: 34,
        ...(plot.unit === 'ms' && { incrs: [...TIME_STEPS] }),
        values: (_, marks) => marks.map((mark) => formatValue(mark, plot.unit)),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, colour: name, values }): uPlot.Series => {
        const stroke = colour(name)
        const isColumn = plot.kind === 'columns'
        return {
          label,
          stroke,
          width: isColumn ? 0 : 1.5,
          spanGaps: false,
          points: { show: plot.kind === 'lines', size: 5, filter: () => isolated(values) },
          ...(plot.kind !== 'lines' && {
            fill: isColumn ? stroke : `color-mix(in srgb, ${stroke} 55%, ${colour('--panel')})`,
          }),
          ...(isColumn && uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.72, 14] }) }),
        }
      }),
    ],
  }
}

function formatValue(value: number, unit: PlotOf['unit']): string {
  if (unit === 'ms') return value === 0 ? '0' : formatSpan(value)
  return value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(Math.round(value * 10) / 10)
}

/** Values that no line leads to would not be seen without a point. */
function isolated(values: readonly (number | null)[]): number[] {
  return values.flatMap((value, at) => {
    const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null
    return value !== null && isAlone ? [at] : []
  })
}
