import './metrics.css'
import { useEffect } from 'preact/hooks'
import { METRIC_WINDOWS, type MetricWindow } from '../../../../src/model/metrics.ts'
import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { useLive } from '../../live/use-live.ts'
import { Empty, Loading, ProblemNote } from '../../parts/bits.tsx'
import { ScreenHead, Tabs } from '../../parts/screen-head.tsx'
import { route, setQuery } from '../../router/router.ts'
import { Plot } from './plot.tsx'
import { figuresOf, plotsOf } from './plots.ts'

const TITLES: Readonly<Record<MetricWindow, string>> = { hour: 'Last hour', day: 'Last day', week: 'Last week' }
const REFRESH_MS = 10_000

export function MetricsScreen() {
  const window = METRIC_WINDOWS.find((each) => each === route.value.query['window']) ?? 'hour'
  const live = useLive({ key: window, load: () => postern.metrics.series({ window }) })
  // What nobody tells of, as time that goes by, is looked at now and then.
  useEffect(() => {
    const timer = setInterval(() => document.hidden || live.refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [live])
  useKeys({
    title: 'Metrics',
    shortcuts: METRIC_WINDOWS.map((each, at) => ({
      keys: String(at + 1),
      label: TITLES[each],
      run: () => setQuery({ window: at === 0 ? undefined : each }),
    })),
  })
  const series = live.value.value
  const problem = live.problem.value
  const isEmpty = series?.pushed.every((count) => count === 0) && series.pending.flat().every((count) => count === 0)
  return (
    <>
      <ScreenHead
        title="Metrics"
        note={series?.isPartial ? 'More has happened than was looked at: what came first is missing' : ''}
      />
      <Tabs
        label="How far back"
        field="window"
        current={window}
        tabs={METRIC_WINDOWS.map((id) => ({ id, title: TITLES[id] }))}
      />
      {problem && !series && <ProblemNote problem={problem} onRetry={live.refresh} />}
      {!series && !problem && <Loading what="the metrics" />}
      {isEmpty && (
        <Empty
          icon="metrics"
          title="Nothing has happened yet"
          commands={['postern inbox push quinn "Hello"', 'postern tour']}
        >
          Plots appear as soon as messages are pushed and seen.
        </Empty>
      )}
      {series && !isEmpty && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <section class="metrics scroll" tabIndex={0} aria-label="Plots">
          <dl class="headline-figures">
            {figuresOf(series).map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <div class="plots">
            {plotsOf(series).map((plot) => (
              <Plot key={plot.title} plot={plot} />
            ))}
          </div>
        </section>
      )}
    </>
  )
}
