/** The successors of a node. All of them must be nodes. */
type Successors = (node: string) => readonly string[]

/**
 * The circles of a graph: each group of nodes that all lead to each other, and each node that leads to itself. A group
 * begins with its first node and goes on as its edges do. Takes time linear in nodes and edges, and no room on the stack.
 */
export function findCycles(nodes: readonly string[], next: Successors): readonly (readonly string[])[] {
  const groups = connectedGroups(nodes, next)
  const order = new Map(nodes.map((node, at) => [node, at]))
  const rank = (node: string | undefined) => order.get(node ?? '') ?? 0
  return groups
    .filter((group) => group.length > 1 || group.some((node) => next(node).includes(node)))
    .map((group) => {
      const first = group.reduce((least, node) => (rank(node) < rank(least) ? node : least))
      return walk(first, new Set(group), next)
    })
    .sort((one, other) => rank(one[0]) - rank(other[0]))
}

interface Visit {
  readonly node: string
  readonly successors: readonly string[]
  /** How many of the successors have been looked at. */
  done: number
  readonly number: number
  /** The earliest node, by its number, that can be reached and is in no group yet. */
  low: number
}

/** Tarjan's strongly connected components, with a stack of its own. */
function connectedGroups(nodes: readonly string[], next: Successors): string[][] {
  const numbers = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const groups: string[][] = []
  const visits: Visit[] = []

  for (const root of nodes) {
    if (!numbers.has(root)) visits.push(enter(root))
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const successor = visit.successors[visit.done++]
      if (successor === undefined) leave(visit)
      else if (!numbers.has(successor)) visits.push(enter(successor))
      else if (isOpen.has(successor)) visit.low = Math.min(visit.low, numbers.get(successor) ?? 0)
    }
  }
  return groups

  function enter(node: string): Visit {
    const number = numbers.size
    numbers.set(node, number)
    open.push(node)
    isOpen.add(node)
    return { node, successors: next(node), done: 0, number, low: number }
  }

  function leave({ node, number, low }: Visit): void {
    visits.pop()
    const above = visits.at(-1)
    if (above !== undefined) above.low = Math.min(above.low, low)
    if (low !== number) return
    const group = open.splice(open.lastIndexOf(node))
    for (const each of group) isOpen.delete(each)
    groups.push(group)
  }
}

/** All nodes of a group, each as soon as an edge leads there. */
function walk(first: string, group: ReadonlySet<string>, next: Successors): readonly string[] {
  const seen = new Set<string>()
  const waiting = [first]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    for (const successor of next(node).toReversed())
      if (group.has(successor) && !seen.has(successor)) waiting.push(successor)
  }
  return [...seen]
}
