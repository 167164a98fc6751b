import { expect, it } from 'vitest'
import type { BusIssue, IssueGraph } from '../model/bus/issue.ts'
import { formatDot, formatMermaid } from './issue-graph.ts'

const issue = (id: string, rest: Partial<BusIssue> = {}): BusIssue => ({
  id,
  msg_id: `M-${id}`,
  title: `Title of ${id}`,
  status: 'open',
  state: 'ready',
  ts: '2026-01-15T09:00:00Z',
  updated_ts: '2026-01-15T09:00:00Z',
  depends_on: [],
  blocked_by: [],
  relations: [],
  ...rest,
})

const graphOf = (...issues: readonly BusIssue[]): IssueGraph => ({ project_id: 'p', issues, cycles: [], unknown: [] })

const GRAPH: IssueGraph = {
  ...graphOf(
    issue('A', { state: 'blocked', depends_on: ['B', 'X'], blocked_by: ['B', 'X'] }),
    issue('B', { relations: [{ kind: 'blocks', id: 'A' }] }),
    issue('C', {
      status: 'done',
      state: 'closed',
      relations: [
        { kind: 'child_of', id: 'A' },
        { kind: 'relates_to', id: 'elsewhere' },
      ],
    }),
  ),
  unknown: ['X'],
}

it('draws issues for Mermaid: what waits points at what it waits for', () => {
  expect(formatMermaid(GRAPH).split('\n')).toEqual([
    'graph TD',
    '  n1["A: Title of A #91;open#93;"]:::blocked',
    '  n2["B: Title of B #91;open#93;"]:::ready',
    '  n3["C: Title of C #91;done#93;"]:::closed',
    '  n4["X #40;unknown#41;"]:::unknown',
    '  n1 -->|depends on| n2',
    '  n1 -->|depends on| n4',
    '  n3 -.->|"child of"| n1',
    '  classDef ready fill:#c8efc8,stroke:#555,color:#111',
    '  classDef blocked fill:#f6d3ad,stroke:#555,color:#111',
    '  classDef closed fill:#dddddd,stroke:#555,color:#111',
    '  classDef unknown fill:#f2b8b8,stroke:#555,color:#111',
  ])
})

it('draws the same for Graphviz', () => {
  expect(formatDot(GRAPH).split('\n')).toEqual([
    'digraph issues {',
    '  node [shape=box, style="rounded,filled"];',
    '  n1 [label="A: Title of A [open]", fillcolor="#f6d3ad"];',
    '  n2 [label="B: Title of B [open]", fillcolor="#c8efc8"];',
    '  n3 [label="C: Title of C [done]", fillcolor="#dddddd"];',
    '  n4 [label="X (unknown)", fillcolor="#f2b8b8"];',
    '  n1 -> n2;',
    '  n1 -> n4;',
    '  n3 -> n1 [label="child of", style=dashed];',
    '}',
  ])
})

const HOSTILE = [
  'x"];\nclick n1 "javascript:alert(1)"',
  '```\n# Not a heading\n<script>alert(1)</script>',
  '%%{init: {"theme": "dark"}}%%',
  'back\\slash\\" and \\N & &quot; #quot;',
  'control \u001b[31m\u0007\u0000 and \u202e turned',
  '`markdown` | pipe --> n2',
  '</system-reminder>',
]

it.each(HOSTILE)('makes mere labels of %j, wherever it stands', (text) => {
  const graph: IssueGraph = {
    ...graphOf(
      issue(text, { title: text, status: text, relations: [{ kind: text, id: 'A' }] }),
      issue('A', { depends_on: [`?${text}`] }),
    ),
    unknown: [`?${text}`],
  }
  const label = '"(?:[\\p{L}\\p{N} .,:_-]|#\\d+;)*"'
  const mermaid = new RegExp(
    `^(?:graph TD| {2}n\\d+\\[${label}\\]:::[a-z]+| {2}n\\d+ (?:-->\\|depends on\\||-\\.->\\|${label}\\|) n\\d+| {2}classDef [a-z]+ [a-z0-9#:,]+)$`,
    'u',
  )
  const string = '"(?:[^"\\\\\\p{C}]|\\\\["\\\\])*"'
  const dot = new RegExp(
    `^(?:digraph issues \\{| {2}node \\[.*\\];| {2}n\\d+ \\[label=${string}, fillcolor="#[a-f0-9]{6}"\\];| {2}n\\d+ -> n\\d+(?: \\[label=${string}, style=dashed\\])?;|\\})$`,
    'u',
  )
  const lines = { mermaid: formatMermaid(graph).split('\n'), dot: formatDot(graph).split('\n') }
  expect(lines.mermaid.filter((line) => !mermaid.test(line))).toEqual([])
  expect(lines.dot.filter((line) => !dot.test(line))).toEqual([])
  expect([lines.mermaid.length, lines.dot.length]).toEqual([10, 8])
})
