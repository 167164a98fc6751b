import { fromWire } from '../../../src/model/network/wire-json.ts'
import { parseProblem, unreachable } from './problem.ts'

export interface WireRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body?: string
}

export type Input = Readonly<Record<string, unknown>>

/** Parts of the path are taken from the input; what is left of it is the query of a GET and the body of anything else. */
export function fillRoute(route: string, input: Input): WireRequest {
  const [method = '', template = ''] = route.split(' ')
  const rest: Record<string, unknown> = { ...input }
  const path = template.replace(/:(\w+)/g, (_, field: string) => {
    const value = String(rest[field] ?? '')
    delete rest[field]
    // Neither an empty part nor a folder may name another place than the one that is meant.
    return value === '' || value === '.' || value === '..' ? '-' : encodeURIComponent(value.toWellFormed())
  })
  if (method !== 'GET') return { method, path, body: JSON.stringify(rest) }
  const query = new URLSearchParams(pairsOf(rest)).toString()
  return { method, path: query === '' ? path : `${path}?${query}` }
}

function pairsOf(input: Input): [string, string][] {
  return Object.entries(input).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((each) => each !== undefined)
      .map((each): [string, string] => [name, String(each)]),
  )
}

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Is sent even while the page is being left. */
  readonly keepalive?: boolean
}

/** Asks the server that has brought this page. Its cookie says who asks. Throws what the server refuses with. */
export async function send({ method, path, body }: WireRequest, sending: Sending = {}): Promise<Response> {
  const { headers, signal, keepalive = false } = sending
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: { Accept: 'application/json', ...(body !== undefined && JSON_TYPE), ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      keepalive,
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable()
  }
  if (!response.ok) throw parseProblem(response.status, await response.text())
  return response
}

const JSON_TYPE = { 'Content-Type': 'application/json' } as const

export async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text()
  return text === '' ? undefined : fromWire(JSON.parse(text))
}
