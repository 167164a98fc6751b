import { sha256 } from '../../kit/node/crypto.ts'
import { PosternError } from '../../model/errors.ts'
import { toWire } from '../../model/network/wire-json.ts'
import type { Postern } from '../../model/postern.ts'
import type { OperationName } from '../../operations/routes.ts'
import type { Asking, Reply } from '../exchange.ts'

type Input = Readonly<Record<string, unknown>>

/** What has a version that a change may be tied to. */
const LOOKS: readonly OperationName[] = ['gates.show', 'decisions.show', 'plans.show']

export function isLook(operation: OperationName): boolean {
  return LOOKS.includes(operation)
}

/** How to see what an operation changes; undefined where that has no version, or nothing is changed. */
export function lookFor(operation: OperationName): OperationName | undefined {
  if (isLook(operation)) return undefined
  return LOOKS.find((each) => each.startsWith(`${operation.split('.')[0]}.`))
}

const NOT_TIED = { reason: 'there is nothing here whose version "If-Match" could mean' } as const

export function etagOf(body: string): string {
  return `"${sha256(body).slice(0, 32)}"`
}

/** Adds the version to the answer; answers nothing but that to whoever has it already. */
export function withEtag(operation: OperationName, { request }: Asking, reply: Reply): Reply {
  if (!isLook(operation) || typeof reply.body !== 'string') return reply
  const etag = etagOf(reply.body)
  const headers = { ...reply.headers, etag, 'cache-control': 'private, no-cache' }
  return matchesEtag(request.headers['if-none-match'], etag) ? { status: 304, headers } : { ...reply, headers }
}

/**
 * Refuses a change where what is to be changed is not what the client has seen. Returns the input; of what counts its
 * revisions also with the one that was seen, so that nobody comes in between.
 */
export async function requireSeen(operation: OperationName, asking: Asking, input: Input): Promise<Input> {
  const wanted = asking.request.headers['if-match']
  if (wanted === undefined) return input
  const look = lookFor(operation)
  const { id, agent } = input
  // Whoever ties a change to a version must not believe that it was, where it cannot be.
  if (look === undefined || id === undefined) throw new PosternError('INPUT_INVALID', NOT_TIED)
  const seen = await show(asking.postern, look, { id, ...(agent !== undefined && { agent }) })
  if (!matchesEtag(wanted, etagOf(JSON.stringify(toWire(seen))))) throw new PosternError('ETAG_MISMATCH')
  const { revision } = seen as { readonly revision?: number }
  return revision === undefined ? input : { revision, ...input }
}

function show(postern: Postern, look: OperationName, ref: Input): Promise<unknown> {
  const [room = '', verb = ''] = look.split('.')
  const rooms = postern as unknown as Record<string, Record<string, (input: Input) => Promise<unknown>>>
  return rooms[room]?.[verb]?.(ref) ?? Promise.resolve(undefined)
}

export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
