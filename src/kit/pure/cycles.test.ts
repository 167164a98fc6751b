import { expect, it } from 'vitest'
import { findCycles } from './cycles.ts'

const cyclesOf = (graph: Readonly<Record<string, readonly string[]>>) =>
  findCycles(Object.keys(graph), (node) => graph[node] ?? [])

it('finds no circle where every way ends', () => {
  expect(cyclesOf({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] })).toEqual([])
})

it('tells a circle in the order of its edges, from its first node on', () => {
  expect(cyclesOf({ b: ['c'], a: ['b'], c: ['a'], x: ['a'] })).toEqual([['b', 'c', 'a']])
})

it('tells a node that leads to itself, and circles that share a node as one', () => {
  expect(cyclesOf({ a: ['a'], b: ['c', 'd'], c: ['b'], d: ['b'] })).toEqual([['a'], ['b', 'c', 'd']])
})

it('goes a hundred thousand nodes deep', () => {
  const nodes = Array.from({ length: 100_000 }, (_, at) => String(at))
  const next = (node: string) => [String((Number(node) + 1) % nodes.length)]
  expect(findCycles(nodes, next)).toEqual([nodes])
  const hub = nodes.slice(1)
  expect(findCycles(nodes, (node) => (node === '0' ? hub : ['0']))[0]).toHaveLength(nodes.length)
})
