/**
 * Places a graph of what waits for what: whatever has to be done first stands to the left. Longest paths give the layers,
 * a few sweeps towards the middle of the neighbours give the order within them.
 */
export interface GraphNode {
  readonly id: string
  /** Ids that come before it. Those that are not in the graph are passed over. */
  readonly after: readonly string[]
}

export interface PlacedNode {
  readonly id: string
  readonly layer: number
  readonly row: number
  readonly x: number
  readonly y: number
}

export interface PlacedEdge {
  readonly from: string
  readonly to: string
  /** Points of the line, from the right side of the one to the left side of the other. */
  readonly points: readonly (readonly [x: number, y: number])[]
  /** It closes a circle: it was turned round to find a place. */
  readonly isBack: boolean
}

export interface Layout {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
  readonly width: number
  readonly height: number
}

export const NODE = { width: 212, height: 46, gapX: 44, gapY: 18 } as const

const SWEEPS = 8

type Pair = readonly [from: string, to: string]

export function layOut(nodes: readonly GraphNode[]): Layout {
  const ids = new Set(nodes.map(({ id }) => id))
  const pairs = nodes.flatMap(({ id, after }) =>
    [...new Set(after)].filter((from) => ids.has(from) && from !== id).map((from): Pair => [from, id]),
  )
  const back = findBackEdges([...ids], pairs)
  const forward = pairs.map((pair): Pair => (back.has(keyOf(pair)) ? [pair[1], pair[0]] : pair))
  const layerOf = findLayers([...ids], forward)
  const layers = orderLayers(stretch([...ids], forward, layerOf))
  const placed = place(layers)
  const byId = new Map(placed.map((node) => [node.id, node]))
  const shown = placed.filter(({ id }) => ids.has(id))
  return {
    nodes: shown,
    edges: pairs.map((pair) => edgeOf(pair, back.has(keyOf(pair)), byId)),
    width: Math.max(0, ...shown.map(({ x }) => x + NODE.width)),
    height: Math.max(0, ...shown.map(({ y }) => y + NODE.height)),
  }
}

const keyOf = ([from, to]: Pair): string => `${from}\n${to}`

/** Edges that lead back to something on the way from the beginning: without them there is no circle. */
function findBackEdges(ids: readonly string[], pairs: readonly Pair[]): ReadonlySet<string> {
  const next = neighbours(pairs)
  const state = new Map<string, 'open' | 'done'>()
  const back = new Set<string>()
  for (const start of ids) {
    if (state.has(start)) continue
    const path: { readonly id: string; at: number }[] = [{ id: start, at: 0 }]
    state.set(start, 'open')
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const to = next.get(top.id)?.[top.at++]
      if (to === undefined) {
        state.set(top.id, 'done')
        path.pop()
      } else if (state.get(to) === 'open') back.add(keyOf([top.id, to]))
      else if (!state.has(to)) {
        state.set(to, 'open')
        path.push({ id: to, at: 0 })
      }
    }
  }
  return back
}

function neighbours(pairs: readonly Pair[]): Map<string, string[]> {
  const next = new Map<string, string[]>()
  for (const [from, to] of pairs) next.set(from, [...(next.get(from) ?? []), to])
  return next
}

/** The layer of a node is the length of the longest way to it. */
function findLayers(ids: readonly string[], pairs: readonly Pair[]): Map<string, number> {
  const next = neighbours(pairs)
  const waits = new Map(ids.map((id) => [id, 0]))
  for (const [, to] of pairs) waits.set(to, (waits.get(to) ?? 0) + 1)
  const layers = new Map(ids.map((id) => [id, 0]))
  const ready = ids.filter((id) => waits.get(id) === 0)
  for (let id = ready.shift(); id !== undefined; id = ready.shift()) {
    for (const to of next.get(id) ?? []) {
      layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(id) ?? 0) + 1))
      const left = (waits.get(to) ?? 1) - 1
      waits.set(to, left)
      if (left === 0) ready.push(to)
    }
  }
  return layers
}

interface Stretched {
  readonly layers: readonly (readonly string[])[]
  readonly pairs: readonly Pair[]
}

/** An edge over several layers gets a place in each of them, so that it runs between the nodes and not through them. */
function stretch(ids: readonly string[], pairs: readonly Pair[], layerOf: ReadonlyMap<string, number>): Stretched {
  const depth = Math.max(0, ...layerOf.values()) + 1
  const layers: string[][] = Array.from({ length: ids.length === 0 ? 0 : depth }, () => [])
  for (const id of ids) layers[layerOf.get(id) ?? 0]?.push(id)
  const short: Pair[] = []
  for (const pair of pairs) {
    const [from, to] = pair
    let last = from
    for (let layer = (layerOf.get(from) ?? 0) + 1; layer < (layerOf.get(to) ?? 0); layer++) {
      const way = wayPoint(pair, layer)
      layers[layer]?.push(way)
      short.push([last, way])
      last = way
    }
    short.push([last, to])
  }
  return { layers, pairs: short }
}

const wayPoint = ([from, to]: Pair, layer: number): string => `${from}\n${to}\n${layer}`

function orderLayers({ layers, pairs }: Stretched): readonly (readonly string[])[] {
  const ordered = layers.map((layer) => [...layer])
  const before = neighbours(pairs.map(([from, to]): Pair => [to, from]))
  const after = neighbours(pairs)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForward = sweep % 2 === 0
    const order = isForward ? [...ordered.keys()].slice(1) : [...ordered.keys()].reverse().slice(1)
    for (const at of order) {
      const fixed = ordered[isForward ? at - 1 : at + 1] ?? []
      const rows = new Map(fixed.map((id, row) => [id, row]))
      const links = isForward ? before : after
      ordered[at] = sortByMiddle(ordered[at] ?? [], (id) =>
        (links.get(id) ?? []).flatMap((each) => rows.get(each) ?? []),
      )
    }
  }
  return ordered
}

function sortByMiddle(layer: readonly string[], rowsOf: (id: string) => readonly number[]): string[] {
  const middles = layer.map((id, row) => {
    const rows = rowsOf(id)
    return { id, middle: rows.length === 0 ? row : rows.reduce((sum, each) => sum + each, 0) / rows.length }
  })
  return middles.sort((one, other) => one.middle - other.middle).map(({ id }) => id)
}

function place(layers: readonly (readonly string[])[]): readonly PlacedNode[] {
  const highest = Math.max(0, ...layers.map(({ length }) => length))
  return layers.flatMap((layer, at) =>
    layer.map((id, row) => ({
      id,
      layer: at,
      row,
      x: at * (NODE.width + NODE.gapX),
      // Each layer stands in the middle of the highest.
      y: (row + (highest - layer.length) / 2) * (NODE.height + NODE.gapY),
    })),
  )
}

function edgeOf(pair: Pair, isBack: boolean, byId: ReadonlyMap<string, PlacedNode>): PlacedEdge {
  const [from, to] = pair
  const [left, right] = isBack ? [to, from] : [from, to]
  const [start, end] = [byId.get(left), byId.get(right)]
  if (!start || !end) return { from, to, points: [], isBack }
  const points: [number, number][] = [[start.x + NODE.width, start.y + NODE.height / 2]]
  for (let layer = start.layer + 1; layer < end.layer; layer++) {
    const way = byId.get(wayPoint([left, right], layer))
    if (way) points.push([way.x, way.y + NODE.height / 2], [way.x + NODE.width, way.y + NODE.height / 2])
  }
  points.push([end.x, end.y + NODE.height / 2])
  return { from, to, points: isBack ? points.reverse() : points, isBack }
}

/** A soft line through the points, for the `d` of a path. */
export function formatPath(points: PlacedEdge['points']): string {
  const [first, ...rest] = points
  if (!first) return ''
  let [lastX, lastY] = first
  const parts = [`M${lastX} ${lastY}`]
  for (const [x, y] of rest) {
    const middle = (lastX + x) / 2
    parts.push(`C${middle} ${lastY} ${middle} ${y} ${x} ${y}`)
    lastX = x
    lastY = y
  }
  return parts.join('')
}
