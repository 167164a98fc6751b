import type { BusPlace } from '../../model/bus/entry.ts'

/** What can be looked at, and how it is called: `postern://inbox/quinn`. */
export type Place =
  | { readonly kind: 'inbox' | 'thread' | 'decision' | 'gate'; readonly id: string }
  | { readonly kind: 'bus'; readonly bus: BusPlace }

const SCHEME = 'postern://'

export function formatUri(place: Place): string {
  const parts =
    place.kind === 'bus'
      ? [place.bus.project_id, ...(place.bus.task_id === undefined ? [] : [place.bus.task_id])]
      : [place.id]
  return `${SCHEME}${[place.kind, ...parts.map(encodeURIComponent)].join('/')}`
}

/** Undefined where it is none of ours. */
export function parseUri(uri: string): Place | undefined {
  if (!uri.startsWith(SCHEME)) return undefined
  const [kind, ...parts] = uri.slice(SCHEME.length).split('/').map(decode)
  const [first, second] = parts
  if (!first || parts.includes(undefined) || parts.includes('')) return undefined
  if (kind === 'bus' && parts.length <= 2) {
    return { kind, bus: { project_id: first, ...(second !== undefined && { task_id: second }) } }
  }
  const isOne = kind === 'inbox' || kind === 'thread' || kind === 'decision' || kind === 'gate'
  return isOne && parts.length === 1 ? { kind, id: first } : undefined
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** Of each kind, how its addresses are made. */
export const TEMPLATES = [
  { name: 'inbox', uriTemplate: `${SCHEME}inbox/{agent}`, description: 'What waits for an agent, without taking it.' },
  { name: 'thread', uriTemplate: `${SCHEME}thread/{id}`, description: 'A message and what was said around it.' },
  { name: 'decision', uriTemplate: `${SCHEME}decision/{id}`, description: 'A question and its answer.' },
  { name: 'gate', uriTemplate: `${SCHEME}gate/{id}`, description: 'What holds an agent, and what happened at it.' },
  { name: 'project bus', uriTemplate: `${SCHEME}bus/{project}`, description: 'The latest entries of a project.' },
  { name: 'task bus', uriTemplate: `${SCHEME}bus/{project}/{task}`, description: 'The latest entries of a task.' },
] as const

/** The resources that a request to listen names. */
export function listenedTo({ notifications }: Readonly<Record<string, unknown>>): readonly string[] {
  const { resourceSubscriptions } = (notifications ?? {}) as { readonly resourceSubscriptions?: unknown }
  return Array.isArray(resourceSubscriptions) ? resourceSubscriptions.filter((uri) => typeof uri === 'string') : []
}
