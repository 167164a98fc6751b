import { PosternError } from '../../model/errors.ts'

/** Finds what a method and a path mean. A literal part counts before a parameter, and both before all that is left. */
export interface Router<T> {
  /** `GET /api/v1/gates/:id`, or `GET /ui/*` for everything below, whose path is then `rest`. */
  add(route: string, target: T): void
  /** Throws ROUTE_NOT_FOUND or METHOD_REFUSED. */
  find(method: string, path: string): Found<T>
  /** The methods to which a path answers; none where there is nothing. */
  methods(path: string): readonly string[]
}

export interface Found<T> {
  readonly target: T
  readonly params: Readonly<Record<string, string>>
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  /** Whatever comes from here on. */
  rest: Node<T> | undefined
  readonly leaves: Map<string, Leaf<T>>
}

interface Leaf<T> {
  readonly target: T
  readonly names: readonly string[]
}

interface Place<T> {
  readonly leaves: ReadonlyMap<string, Leaf<T>>
  readonly values: readonly string[]
}

const REST = '*'

export function createRouter<T>(): Router<T> {
  const root = createNode<T>()

  function places(path: string): Place<T>[] {
    return path.startsWith('/') ? walk(root, path.slice(1).split('/'), []) : []
  }

  const methods = (path: string) => [...new Set(places(path).flatMap(({ leaves }) => [...leaves.keys()]))]

  return {
    add(route, target) {
      const [method = '', path = ''] = route.split(' ')
      const parts = path.slice(1).split('/')
      const names = parts.flatMap((part) => (part === REST ? ['rest'] : part.startsWith(':') ? [part.slice(1)] : []))
      const node = parts.reduce(enter, root)
      node.leaves.set(method, { target, names })
    },

    find(method, path) {
      const found = places(path)
      for (const { leaves, values } of found) {
        const leaf = leaves.get(method)
        if (!leaf) continue
        const params = leaf.names.map((name, at) => [name, decodePart(values[at] ?? '', name === 'rest')])
        return { target: leaf.target, params: Object.fromEntries(params) }
      }
      if (found.length === 0) throw new PosternError('ROUTE_NOT_FOUND', { path })
      throw new PosternError('METHOD_REFUSED', { path, method, allowed: allowed(methods(path)) })
    },

    methods,
  }
}

/** As the header `Allow` lists them: whatever can be got can be asked for without its body. */
export function allowed(methods: readonly string[]): string {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

function createNode<T>(): Node<T> {
  return { literals: new Map(), parameter: undefined, rest: undefined, leaves: new Map() }
}

function enter<T>(node: Node<T>, part: string): Node<T> {
  if (part === REST) {
    node.rest ??= createNode()
    return node.rest
  }
  if (part.startsWith(':')) {
    node.parameter ??= createNode()
    return node.parameter
  }
  const next = node.literals.get(part) ?? createNode()
  node.literals.set(part, next)
  return next
}

/** Every place that the parts lead to, the most literal first. */
function walk<T>(node: Node<T>, [part, ...rest]: readonly string[], values: readonly string[]): Place<T>[] {
  if (part === undefined) return node.leaves.size > 0 ? [{ leaves: node.leaves, values }] : []
  const literal = node.literals.get(part)
  const byName = literal ? walk(literal, rest, values) : []
  const byParameter = node.parameter ? walk(node.parameter, rest, [...values, part]) : []
  const byRest = node.rest ? [{ leaves: node.rest.leaves, values: [...values, [part, ...rest].join('/')] }] : []
  return [...byName, ...byParameter, ...byRest]
}

/** What lies below a page is the page's to understand, so it is handed over as it is where it cannot be decoded. */
function decodePart(part: string, isRest: boolean): string {
  try {
    return decodeURIComponent(part)
  } catch {
    if (isRest) return part
    throw new PosternError('INPUT_INVALID', { reason: 'a part of the path is not well encoded' })
  }
}
