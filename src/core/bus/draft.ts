import type { PostEntry } from '../../model/bus/bus.ts'
import { type DraftedHeader, parseBody, parseHeader } from '../../model/bus/draft.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { parsePlace } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'

/** What somebody wants to write, understood. */
export interface Draft {
  readonly place: BusPlace
  readonly header: DraftedHeader
  readonly body: Uint8Array
  /** The body, as far as it can be read. */
  readonly text: string
}

export function draftEntry(input: PostEntry): Draft {
  const header = parseHeader(input)
  const body = parseBody(input) ?? new Uint8Array()
  requireSomething(input, body)
  requireBridge(input, header)
  return { place: parsePlace(header), header, body, text: new TextDecoder().decode(body) }
}

/** An entry may do without words where it says something else, such as that an issue is closed. */
function requireSomething(input: PostEntry, body: Uint8Array): void {
  const { meta = {}, attachments = [], attachment_path, links = [], select } = input
  const isSaid = body.length > 0 || Object.keys(meta).length > 0 || attachments.length > 0 || links.length > 0
  if (!isSaid && attachment_path === undefined && select === undefined) throw invalid('it says nothing')
}

/** What asks and what answers must be such a thing, or whoever meant it would wait for nothing. */
function requireBridge({ ask, options, select, body_base64 }: PostEntry, { type }: DraftedHeader): void {
  if (ask !== undefined && type !== 'QUESTION') throw invalid(`only a QUESTION asks people, and not a ${type}`)
  if (ask !== undefined && body_base64 !== undefined) throw invalid('what people are asked is text')
  if (options !== undefined && ask === undefined) throw invalid('only a question to people has options')
  if (select !== undefined && type !== 'ANSWER') throw invalid(`only an ANSWER chooses, and not a ${type}`)
}

export function invalid(reason: string): PosternError {
  return new PosternError('BUS_ENTRY_INVALID', { reason })
}
