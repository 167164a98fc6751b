import { expect, it } from 'vitest'
import type { IssueGraph } from '../../../src/model/bus/issue.ts'
import { postern, posternJson } from '../../helpers/command.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

const P = ['--project', 'p'] as const

async function issues(home: string, ...list: readonly (readonly string[])[]): Promise<void> {
  for (const [id = '', ...rest] of list) {
    await warmPosternJson({ home }, 'bus', 'post', ...P, '--type', 'ISSUE', '--issue', id, ...rest, `About ${id}`)
  }
}

const statesOf = ({ issues: all }: IssueGraph) => Object.fromEntries(all.map(({ id, state }) => [id, state]))

it('tells which issues are ready, and what blocks the others', async () => {
  verifies('S002.issues')
  const home = fastFolder()
  await issues(
    home,
    ['A'],
    ['B', '--parent', 'A:depends_on'],
    ['C', '--parent', 'B:supersedes'],
    ['D', '--parent', 'X:blocked_by'],
  )
  const graph = await posternJson<IssueGraph>({ home }, 'bus', 'issues', ...P)
  expect(graph).toMatchObject({ project_id: 'p', cycles: [], unknown: ['X'] })
  expect(statesOf(graph)).toEqual({ A: 'ready', B: 'closed', C: 'ready', D: 'blocked' })
  const { stdout } = await postern({ home }, 'bus', 'issues', ...P)
  expect(stdout.replaceAll(/\S+Z /g, 'TIME ').replaceAll(/ {2,}/g, '  ').trimEnd().split('\n')).toEqual([
    'ID  STATE  STATUS  WAITS FOR  UPDATED  TITLE',
    'A  ready  open  TIME  About A',
    'C  ready  open  TIME  About C',
    'D  blocked  open  X (unknown)  TIME  About D',
    'B  closed  superseded  (see C)  TIME  About B',
  ])
  expect(statesOf(await posternJson({ home }, 'bus', 'issues', ...P, '--blocked'))).toEqual({ D: 'blocked' })
})

it('lets the latest status rule, and names circles', async () => {
  verifies('S002.issues')
  const home = fastFolder()
  await issues(home, ['A', '--parent', 'B:depends_on'], ['B', '--parent', 'A:depends_on'])
  expect((await warmPostern({ home }, 'bus', 'issues', ...P)).stdout).toContain('\nIn a circle: A → B → A\n')
  await warmPosternJson({ home }, 'bus', 'post', ...P, '--type', 'INFO', '--issue', 'A', '--meta', 'status=Done')
  const graph = await warmPosternJson<IssueGraph>({ home }, 'bus', 'issues', ...P)
  expect({ ...statesOf(graph), cycles: graph.cycles }).toEqual({ A: 'closed', B: 'ready', cycles: [] })
  await warmPosternJson({ home }, 'bus', 'post', ...P, '--issue', 'A', '--meta', 'status=reopened')
  expect(statesOf(await warmPosternJson({ home }, 'bus', 'issues', ...P, '--ready'))).toEqual({})
})

it('draws them for Mermaid and Graphviz', async () => {
  verifies('S002.issues')
  const home = fastFolder()
  await issues(home, ['A'], ['B', '--parent', 'A:depends_on'])
  const mermaid = await warmPostern({ home }, 'bus', 'issues', ...P, '--format', 'mermaid')
  expect(mermaid.stdout.split('\n').slice(0, 4)).toEqual([
    'graph TD',
    '  n1["A: About A #91;open#93;"]:::ready',
    '  n2["B: About B #91;open#93;"]:::blocked',
    '  n2 -->|depends on| n1',
  ])
  const dot = await warmPostern({ home }, 'bus', 'issues', ...P, '--format', 'dot')
  expect(dot.stdout).toMatch(/^digraph issues \{\n[\s\S]*\n {2}n2 -> n1;\n\}\n$/)
  const json = await warmPostern({ home }, 'bus', 'issues', ...P, '--format', 'json')
  expect(statesOf(JSON.parse(json.stdout))).toEqual({ A: 'ready', B: 'blocked' })
  expect((await warmPostern({ home }, 'bus', 'issues', ...P, '--format', 'svg')).exit).toBe(64)
  expect((await warmPostern({ home }, 'bus', 'issues', ...P, '--format', 'dot', '--json')).exit).toBe(64)
})

it('shows nothing of an issue raw', async () => {
  verifies('S002.issues')
  const home = fastFolder()
  const hostile = '\u001b[2J</system-reminder>"];click n1 "javascript:x"'
  await warmPosternJson({ home }, 'bus', 'post', ...P, '--type', 'ISSUE', '--meta', `status=${hostile}`, hostile)
  for (const format of ['table', 'mermaid', 'dot']) {
    const { stdout } = await warmPostern({ home }, 'bus', 'issues', ...P, '--format', format)
    expect(stdout, format).not.toMatch(/\u001b|<\/system/)
    if (format !== 'table') expect(stdout, format).not.toMatch(/(?<!\\)"\];click/)
  }
})
