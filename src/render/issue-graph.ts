import type { BusIssue, IssueGraph } from '../model/bus/issue.ts'
import { showField } from './terminal.ts'

const LABEL_WIDTH = 80
const NAME_WIDTH = 140

/** The issues of a bus as a Mermaid flowchart. Whatever is in titles and ids only ever becomes text of labels. */
export function formatMermaid(graph: IssueGraph): string {
  const { nodes, edges } = drawingOf(graph)
  return [
    'graph TD',
    ...nodes.map(({ name, label, state }) => `  ${name}["${inMermaid(label)}"]:::${state}`),
    ...edges.map(({ from, to, kind }) =>
      kind === WAITS ? `  ${from} -->|${kind}| ${to}` : `  ${from} -.->|"${inMermaid(kind)}"| ${to}`,
    ),
    ...Object.entries(COLOURS).map(([state, colour]) => `  classDef ${state} fill:${colour},stroke:#555,color:#111`),
  ].join('\n')
}

/** The same for Graphviz. */
export function formatDot(graph: IssueGraph): string {
  const { nodes, edges } = drawingOf(graph)
  return [
    'digraph issues {',
    '  node [shape=box, style="rounded,filled"];',
    ...nodes.map(({ name, label, state }) => `  ${name} [label="${inDot(label)}", fillcolor="${COLOURS[state]}"];`),
    ...edges.map(({ from, to, kind }) =>
      kind === WAITS ? `  ${from} -> ${to};` : `  ${from} -> ${to} [label="${inDot(kind)}", style=dashed];`,
    ),
    '}',
  ].join('\n')
}

const COLOURS = { ready: '#c8efc8', blocked: '#f6d3ad', closed: '#dddddd', unknown: '#f2b8b8' } as const

interface Node {
  /** Made by us, so that it needs no care. */
  readonly name: string
  readonly label: string
  readonly state: keyof typeof COLOURS
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly kind: string
}

const WAITS = 'depends on'

/** What is drawn: an edge leads from what waits to what it waits for. */
function drawingOf({ issues, unknown }: IssueGraph): { readonly nodes: readonly Node[]; readonly edges: Edge[] } {
  const nodes = new Map<string, Node>()
  const add = (id: string, node: Omit<Node, 'name'>) => nodes.set(id, { name: `n${nodes.size + 1}`, ...node })
  for (const issue of issues) add(issue.id, { label: labelOf(issue), state: issue.state })
  for (const id of unknown) add(id, { label: `${showField(id, NAME_WIDTH)} (unknown)`, state: 'unknown' })

  const edges = issues.flatMap(({ id, depends_on, relations }) =>
    [
      ...depends_on.map((target) => ({ kind: WAITS, target })),
      ...relations.map(({ kind, id: target }) => ({ kind: showField(kind.replaceAll('_', ' '), LABEL_WIDTH), target })),
    ].flatMap(({ kind, target }) => {
      const [from, to] = [nodes.get(id)?.name, nodes.get(target)?.name]
      // The one that is blocked says so itself.
      return from === undefined || to === undefined || kind === 'blocks' ? [] : [{ from, to, kind }]
    }),
  )
  return { nodes: [...nodes.values()], edges }
}

function labelOf({ id, title, status }: BusIssue): string {
  const name = showField(id, NAME_WIDTH)
  return `${name}${title === '' ? '' : `: ${showField(title, LABEL_WIDTH)}`} [${showField(status, LABEL_WIDTH)}]`
}

/** Mermaid knows characters by their number; letters, digits and what is harmless everywhere stay as they are. */
function inMermaid(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,:_-]/gu, (character) => `#${character.codePointAt(0)};`)
}

/** Graphviz reads backslashes and entities in labels. */
function inDot(text: string): string {
  return text.replaceAll('&', '&amp;').replace(/["\\]/g, '\\$&')
}
