import { useMemo } from 'preact/hooks'
import type { BusIssue, IssueGraph } from '../../../../src/model/bus/issue.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Empty, Loading, ProblemNote } from '../../parts/bits.tsx'
import { pathTo } from '../../router/route.ts'
import { route } from '../../router/router.ts'
import { measureIn, shorten } from './graph-label.ts'
import { formatPath, type Layout, layOut, NODE } from './graph-layout.ts'

const MARGIN = 16
const SMALLEST = 0.7
const PADDING = 11
const LABEL_WIDTH = NODE.width - 2 * PADDING
/** As the styles have them. */
const TITLE_FONT = '600 13px'
const WORDS_FONT = '11.5px'

/** The issues of a bus as its log tells them, drawn: what must be done first stands to the left. */
export function IssueGraphView() {
  const { project = '', task } = route.value.params
  const live = useLive({
    key: `${project}/${task}`,
    load: () => postern.bus.issues({ project_id: project, ...(task && { task_id: task }) }),
  })
  const graph = live.value.value
  const problem = live.problem.value
  if (!graph) return problem ? <ProblemNote problem={problem} onRetry={live.refresh} /> : <Loading what="the issues" />
  if (graph.issues.length === 0)
    return (
      <Empty
        icon="bus"
        title="No issues on this bus"
        commands={[
          `postern bus post --project ${project}${task ? ` --task ${task}` : ''} --type ISSUE --issue A-1 "What is to be done"`,
        ]}
      >
        An entry of the type ISSUE begins one; parents of the kind depends_on say what it waits for.
      </Empty>
    )
  return <Drawing graph={graph} project={project} task={task} />
}

interface DrawingProps {
  readonly graph: IssueGraph
  readonly project: string
  readonly task: string | undefined
}

function Drawing({ graph, project, task }: DrawingProps) {
  const layout = useMemo(() => layOut(graph.issues.map(({ id, depends_on }) => ({ id, after: depends_on }))), [graph])
  const issues = new Map(graph.issues.map((issue) => [issue.id, issue]))
  const count = (state: BusIssue['state']) => graph.issues.filter((issue) => issue.state === state).length
  const path = (id: string) => pathTo('bus', [project, task], { issue: id })
  return (
    <div class="graph">
      <p class="graph-note">
        <span class="graph-key graph-ready">{count('ready')} ready</span>
        <span class="graph-key graph-blocked">{count('blocked')} blocked</span>
        <span class="graph-key graph-closed">{count('closed')} closed</span>
        {graph.cycles.length > 0 && (
          <span class="graph-cycle">
            {graph.cycles.map((cycle) => cycle.join(' → ')).join('; ')} wait for each other
          </span>
        )}
        {graph.unknown.length > 0 && <span class="faint">unknown: {graph.unknown.join(', ')}</span>}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="graph-scroll" tabIndex={0} aria-label="Issue graph">
        <Picture layout={layout} issues={issues} path={path} />
      </section>
    </div>
  )
}

interface PictureProps {
  readonly layout: Layout
  readonly issues: ReadonlyMap<string, BusIssue>
  path(id: string): string
}

function Picture({ layout, issues, path }: PictureProps) {
  const [ofTitle, ofWords] = [measureIn(TITLE_FONT), measureIn(WORDS_FONT)]
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN]
  return (
    <svg
      width={width}
      // A little smaller rather than scrolled, and never too small to be read.
      style={{ minWidth: `${width * SMALLEST}px` }}
      viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
      aria-label="Issues"
    >
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path class="graph-arrow" d="M0 0.8 7 4 0 7.2z" />
        </marker>
      </defs>
      {layout.edges.map(({ from, to, points, isBack }) => (
        <path
          key={`${from}-${to}`}
          class={`graph-edge ${isBack ? 'is-back' : ''} ${issues.get(from)?.state === 'closed' ? 'is-met' : ''}`}
          d={formatPath(points)}
          marker-end="url(#arrow)"
        />
      ))}
      {layout.nodes.map(({ id, x, y }) => {
        const issue = issues.get(id)
        if (!issue) return null
        const { title, state, status, blocked_by } = issue
        const words = blocked_by.length > 0 ? `blocked by ${blocked_by.join(', ')}` : status === 'open' ? state : status
        return (
          <a key={id} href={path(id)}>
            <g class={`graph-node graph-${state}`} transform={`translate(${x} ${y})`}>
              <title>{`${id}: ${title}\n${words}`}</title>
              <rect width={NODE.width} height={NODE.height} rx="7" />
              <text x={PADDING} y="19" class="graph-title">
                {shorten(title, LABEL_WIDTH, ofTitle)}
              </text>
              <text x={PADDING} y="36" class="graph-words">
                {shorten(`${id} · ${words}`, LABEL_WIDTH, ofWords)}
              </text>
            </g>
          </a>
        )
      })}
    </svg>
  )
}
