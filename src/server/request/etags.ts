import { sha256 } from '../../kit/node/crypto.ts'
import { PosternError } from '../../model/errors.ts'
import { toWire } from '../../model/network/wire-json.ts'
import { OPERATION_NAMES, OPERATIONS, type OperationName, type OperationRow } from '../../model/operations.ts'
import { perform } from '../../operations/perform.ts'
import type { Asking, Reply } from '../exchange.ts'

type Input = Readonly<Record<string, unknown>>

type NamedOperation = OperationRow & { readonly name: OperationName }

/** The operation that reads what another changes; undefined if that has no version, or nothing changes. */
export function versionedRead({ name, isVersioned }: NamedOperation): OperationName | undefined {
  if (isVersioned) return undefined
  const [noun] = name.split('.')
  return OPERATION_NAMES.find((each) => OPERATIONS[each].isVersioned && each.startsWith(`${noun}.`))
}

const NOT_TIED = { reason: 'there is nothing here whose version "If-Match" could mean' } as const

export function etagOf(body: string): string {
  return `"${sha256(body).slice(0, 32)}"`
}

/** Adds the version to the answer; answers nothing but that to whoever has it already. */
export function withEtag({ isVersioned }: OperationRow, { request }: Asking, reply: Reply): Reply {
  if (!isVersioned || typeof reply.body !== 'string') return reply
  const etag = etagOf(reply.body)
  const headers = { ...reply.headers, etag, 'cache-control': 'private, no-cache' }
  return matchesEtag(request.headers['if-none-match'], etag) ? { status: 304, headers } : { ...reply, headers }
}

/**
 * Refuses a change where what is to be changed is not what the client has seen. Returns the input; of what counts its
 * revisions also with the one that was seen, so that nobody comes in between.
 */
export async function requireSeen(operation: NamedOperation, asking: Asking, input: Input): Promise<Input> {
  const wanted = asking.request.headers['if-match']
  if (wanted === undefined) return input
  const read = versionedRead(operation)
  const { id, agent } = input
  // Whoever ties a change to a version must not believe that it was, where it cannot be.
  if (read === undefined || id === undefined) throw new PosternError('INPUT_INVALID', NOT_TIED)
  const seen = await perform(asking.postern, read, { id, ...(agent !== undefined && { agent }) })
  if (!matchesEtag(wanted, etagOf(JSON.stringify(toWire(seen))))) throw new PosternError('ETAG_MISMATCH')
  const { revision } = seen as { readonly revision?: number }
  return revision === undefined ? input : { revision, ...input }
}

export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
