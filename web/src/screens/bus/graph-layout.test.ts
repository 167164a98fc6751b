import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPath, type GraphNode, layOut, NODE } from './graph-layout.ts'

const node = (id: string, ...after: string[]): GraphNode => ({ id, after })
const layersOf = (nodes: readonly GraphNode[]) =>
  Object.fromEntries(layOut(nodes).nodes.map(({ id, layer }) => [id, layer]))

describe('the drawing of a graph', () => {
  it('puts what comes first to the left', () => {
    expect(layersOf([node('c', 'b', 'a'), node('b', 'a'), node('a'), node('d')])).toEqual({ a: 0, b: 1, c: 2, d: 0 })
  })

  it('draws every edge from the one to the other', () => {
    const { edges, nodes } = layOut([node('a'), node('b', 'a'), node('c', 'b', 'a')])
    expect(edges).toHaveLength(3)
    const long = edges.find(({ from, to }) => from === 'a' && to === 'c')
    const [a, c] = [nodes.find(({ id }) => id === 'a'), nodes.find(({ id }) => id === 'c')]
    expect(long?.points.at(0)).toEqual([(a?.x ?? 0) + NODE.width, (a?.y ?? 0) + NODE.height / 2])
    expect(long?.points.at(-1)).toEqual([c?.x, (c?.y ?? 0) + NODE.height / 2])
    expect(long?.points).toHaveLength(4)
  })

  it('draws circles too, and says which edges close them', () => {
    const { edges, nodes } = layOut([node('a', 'b'), node('b', 'a'), node('c', 'c')])
    expect(nodes).toHaveLength(3)
    expect(edges.map(({ isBack }) => isBack).sort()).toEqual([false, true])
  })

  it('passes over what is not there, and is empty where nothing is', () => {
    expect(layOut([node('a', 'nobody')]).edges).toEqual([])
    expect(layOut([])).toEqual({ nodes: [], edges: [], width: 0, height: 0 })
    expect(formatPath([])).toBe('')
  })

  it('untangles two lines that would cross', () => {
    const { nodes } = layOut([node('a'), node('b'), node('x', 'b'), node('y', 'a')])
    const row = (id: string) => nodes.find((each) => each.id === id)?.row ?? -1
    expect(row('a') < row('b')).toBe(row('y') < row('x'))
  })

  it('never puts two nodes on one place, whatever the graph', () => {
    const graphs = fc.array(fc.record({ id: fc.nat(30).map(String), after: fc.array(fc.nat(30).map(String)) }), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(graphs, (nodes) => {
        const unique = [...new Map(nodes.map((each) => [each.id, each])).values()]
        const layout = layOut(unique)
        expect(layout.nodes).toHaveLength(unique.length)
        expect(new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(unique.length)
        for (const { points } of layout.edges) expect(points.length).toBeGreaterThanOrEqual(2)
      }),
      { numRuns: 200 },
    )
  })
})
