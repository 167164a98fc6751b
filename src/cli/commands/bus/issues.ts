import type { BusIssue, IssueGraph } from '../../../model/bus/issue.ts'
import { formatDot, formatMermaid } from '../../../render/issue-graph.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { formatJson } from '../../shell/json.ts'
import { usage } from '../../shell/parse.ts'
import { formatTable } from '../../shell/table.ts'
import { openPosternForBus, PLACE_OPTIONS } from './place.ts'

const MAX_LINE = 1_000
const FORMATS: Readonly<Record<string, (graph: IssueGraph, io: Io) => string>> = {
  table: describe,
  json: formatJson,
  mermaid: formatMermaid,
  dot: formatDot,
}

export const busIssues: Command = {
  path: 'bus issues',
  isForAnyone: true,
  summary: 'Tell the issues of a bus: which are ready, and what blocks the others.',
  options: [
    ...PLACE_OPTIONS,
    { name: 'format', value: '<format>', summary: 'table (default), json, mermaid or dot' },
    { name: 'ready', summary: 'only those that can be worked on' },
    { name: 'blocked', summary: 'only those that wait for others' },
  ],
  examples: ['postern bus issues --ready', 'postern bus issues --format mermaid > issues.mmd'],

  async run(io, args) {
    const format = formatIn(io, args)
    const { postern, place } = await openPosternForBus(io, args)
    const graph = await postern.bus.issues(place)
    const states = (['ready', 'blocked'] as const).filter((state) => args.has(state))
    const issues = graph.issues.filter(({ state }) => states.length === 0 || states.some((each) => each === state))
    io.stdout.line(format({ ...graph, issues }, io))
    return undefined
  },
}

function formatIn(io: Io, args: Args): (graph: IssueGraph, io: Io) => string {
  const name = args.get('format') ?? (io.isJson ? 'json' : 'table')
  if (io.isJson && name !== 'json') throw usage(busIssues, '--json and --format exclude each other')
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (format === undefined) throw usage(busIssues, `--format takes ${Object.keys(FORMATS).join(', ')}`)
  return format
}

/** What can be worked on comes first. */
const ORDER = ['ready', 'blocked', 'closed']

function describe({ issues, cycles, unknown }: IssueGraph, io: Io): string {
  if (issues.length === 0) return 'There is no such issue.'
  const rows = issues
    .toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))
    .map((issue) => [
      issue.id,
      issue.state,
      issue.status,
      waitsFor(issue, new Set(unknown)),
      issue.updated_ts,
      issue.title,
    ])
  const table = formatTable(['ID', 'STATE', 'STATUS', 'WAITS FOR', 'UPDATED', 'TITLE'], rows, io.stdout.columns)
  const circles = cycles.map((ids) => showField(`In a circle: ${[...ids, ids[0]].join(' → ')}`, MAX_LINE))
  return [table, ...circles].join('\n')
}

function waitsFor({ blocked_by, closed_by }: BusIssue, unknown: ReadonlySet<string>): string {
  if (closed_by !== undefined) return `(see ${closed_by})`
  return blocked_by.map((id) => (unknown.has(id) ? `${id} (unknown)` : id)).join(', ')
}
