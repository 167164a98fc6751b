import { PosternError } from '../model/errors.ts'
import { OPERATIONS, type OperationName } from '../model/operations.ts'

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Input = Readonly<Record<string, unknown>>

/** Servers and what stands before them refuse longer ones without saying why. */
const MAX_PATH_CHARACTERS = 8_000

/** No id is longer. */
const MAX_PART_CHARACTERS = 500

export function toRequest(name: OperationName, input: Input): WireRequest {
  return fillRoute(OPERATIONS[name].http[0], input)
}

/** Their input is the path and the query: what a body of such a request means is not defined. */
const WITHOUT_BODY: readonly string[] = ['GET', 'DELETE']

/** Parts of the path are taken from the input; what is left of it is the query or the body, by the method. */
export function fillRoute(route: string, input: Input): WireRequest {
  const [method = '', template = ''] = route.split(' ')
  const rest: Record<string, unknown> = { ...input }
  const path = template
    .split('/')
    .map((part, at, parts) => {
      if (!part.startsWith(':')) return part
      const field = part.slice(1)
      const value = rest[field]
      delete rest[field]
      return pathPart(value, { field, noun: parts[at - 1] ?? '' })
    })
    .join('/')
  if (!WITHOUT_BODY.includes(method)) return { method, path, body: toJson(rest) }
  return { method, path: bounded(`${path}${toQuery(rest)}`) }
}

/** What is refused where there cannot be such a one, by the noun before it. */
const NOWHERE: Readonly<Record<string, (id: string) => PosternError>> = {
  agents: (id) => new PosternError('AGENT_ID_INVALID', { id }),
  sessions: () => new PosternError('SESSION_INVALID'),
  inbox: (id) => new PosternError('MESSAGE_NOT_FOUND', { id }),
  offers: (id) => new PosternError('OFFER_NOT_FOUND', { id }),
  decisions: (id) => new PosternError('DECISION_NOT_FOUND', { id }),
  spaces: (id) => new PosternError('SPACE_ID_INVALID', { id }),
  plans: (id) => new PosternError('PLAN_NOT_FOUND', { id }),
  services: (id) => new PosternError('SERVICE_NOT_FOUND', { id }),
  items: (name) => new PosternError('HANDOFF_ITEM_NOT_FOUND', { name }),
  inheritances: (id) => new PosternError('HANDOFF_OFFER_NOT_FOUND', { id }),
  topics: (value) => new PosternError('LEDGER_ID_INVALID', { value }),
  profiles: (id) => new PosternError('AGENT_ID_INVALID', { id }),
  connections: (id) => new PosternError('CONNECTION_NOT_FOUND', { id }),
  parcels: (id) => new PosternError('PARCEL_NOT_FOUND', { id }),
  tokens: (id) => new PosternError('TOKEN_NOT_FOUND', { id }),
}

/**
 * What would name another place, whatever it is written as, is refused here: an empty part, or one of the two that stand
 * for the folder itself and the one above.
 */
function pathPart(value: unknown, { field, noun }: { readonly field: string; readonly noun: string }): string {
  const id = typeof value === 'string' ? value : String(value ?? '')
  const isUsable = id !== '' && id !== '.' && id !== '..' && id.length <= MAX_PART_CHARACTERS && id.isWellFormed()
  if (isUsable) return encodeURIComponent(id)
  if (noun === 'gates' && field === 'id') throw new PosternError('GATE_NOT_FOUND', { id })
  const refuse = NOWHERE[noun]
  throw refuse ? refuse(id) : new PosternError('VALUE_INVALID', { field, value: id, next: 'Name it by its id.' })
}

function toQuery(input: Input): string {
  const pairs = Object.entries(input).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((each) => each !== undefined)
      .map((each): [string, string] => [name, toText(name, each)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** A URL holds no half characters: they would arrive as others. */
function toText(field: string, value: unknown): string {
  const text = String(sendable(field, value))
  if (text.isWellFormed()) return text
  throw new PosternError('INPUT_INVALID', { reason: `the field "${field}" holds half a character` })
}

function bounded(path: string): string {
  if (path.length <= MAX_PATH_CHARACTERS) return path
  throw new PosternError('CONTENT_TOO_LARGE', { field: 'input', bytes: path.length, limit: MAX_PATH_CHARACTERS })
}

function toJson(input: Input): string {
  return JSON.stringify(input, sendable)
}

const UNSENDABLE: readonly string[] = ['bigint', 'function', 'symbol']

/** What JSON has no word for would be left out, or arrive as null, which elsewhere is a value of its own. */
function sendable(field: string, value: unknown): unknown {
  const isSendable = typeof value === 'number' ? Number.isFinite(value) : !UNSENDABLE.includes(typeof value)
  if (isSendable) return value
  throw new PosternError('INPUT_INVALID', { reason: `the field "${field}" holds ${String(value)}, which is not JSON` })
}
