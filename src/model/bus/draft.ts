import { PosternError } from '../errors.ts'
import { isJson, isStorable } from '../json.ts'
import type { NewAttachment, PostEntry } from './bus.ts'
import { BUS_LIMITS, type BusLink, type BusMeta, type BusParent, type EntryDraft } from './entry.ts'
import { parseEntryType } from './meaning.ts'
import { parseBusId, parsePlace } from './place.ts'

/** The header of a new entry, but for what is attached to it. */
export type DraftedHeader = Omit<EntryDraft, 'body' | 'attachments' | 'attachment_path'>

/** What only Postern says of an entry: who wrote it, and which decision it belongs to. */
const OWN_META = ['from', 'from_verified', 'decision_id']

const MAX_PARENTS = 50
const MAX_LINKS = 50
const MAX_ATTACHMENTS = 50
const LABEL_CHARACTERS = 500
const PATH_CHARACTERS = 4_096

/** Reads what somebody wants to write, or says why it is no entry. */
export function parseHeader(input: PostEntry): DraftedHeader {
  const { type = 'USER', run_id, issue_id, parents = [], links = [], meta = {} } = input
  return {
    ...parsePlace(input),
    type: parseEntryType(type),
    ...(run_id !== undefined && { run_id: parseBusId('run_id', run_id) }),
    ...(issue_id !== undefined && { issue_id: parseBusId('issue_id', issue_id) }),
    ...(parents.length > 0 && { parents: atMost(MAX_PARENTS, 'parents', parents).map(parseParent) }),
    ...(links.length > 0 && { links: atMost(MAX_LINKS, 'links', links).map(parseLink) }),
    ...(Object.keys(meta).length > 0 && { meta: parseMeta(meta) }),
  }
}

export function parseAttachments(attachments: readonly NewAttachment[]): readonly NewAttachment[] {
  return atMost(MAX_ATTACHMENTS, 'attachments', attachments).map(({ path, name, data, kind, label, mime }) => {
    if ((path === undefined) === (data === undefined))
      throw invalid('an attachment has either a path in the folder or the data itself')
    if (data !== undefined && data.length > (BUS_LIMITS.attachmentBytes / 3) * 4)
      throw invalid(`the data of an attachment has more than ${BUS_LIMITS.attachmentBytes} bytes`)
    if (name !== undefined && data === undefined) throw invalid('only an attachment that brings its data takes a name')
    return {
      ...(path !== undefined && { path: parseLine('path', path, PATH_CHARACTERS) }),
      ...(name !== undefined && { name: parseLine('name', name) }),
      ...(data !== undefined && { data }),
      ...labelled({ kind, label, mime }),
    }
  })
}

/** `body` by any of its names: text as UTF-8, or any bytes. Undefined where there is none. */
export function parseBody({ body, message, body_base64 }: PostEntry): Uint8Array | undefined {
  const given = [body, message, body_base64].filter((each) => each !== undefined)
  if (given.length > 1) throw invalid('only one of body, message and body_base64 can be its body')
  const text = body ?? message
  if (text === undefined && body_base64 === undefined) return undefined
  const bytes = text === undefined ? parseBase64('body_base64', body_base64 ?? '') : encode(text)
  if (bytes.length <= BUS_LIMITS.bodyBytes) return bytes
  throw new PosternError('BUS_BODY_TOO_LARGE', { bytes: bytes.length, limit: BUS_LIMITS.bodyBytes })
}

function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text)
  throw new PosternError('TEXT_INVALID', { field: 'body', what: 'a lone surrogate' })
}

/** Strictly: neither spaces nor missing signs at the end. */
export function parseBase64(field: string, text: string): Uint8Array {
  const characters = decodeBase64(text)
  if (characters === undefined) throw invalid(`the ${field} is not base64`)
  const bytes = new Uint8Array(characters.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at)
  return bytes
}

function decodeBase64(text: string): string | undefined {
  if (text.length % 4 !== 0 || /\s/.test(text)) return undefined
  try {
    return atob(text)
  } catch {
    return undefined
  }
}

/** Others have written ids of their own kind, and they too can be answered. */
const REFERENCE = /^[\x21-\x2b\x2d-\x7e]{1,200}$/
const KIND = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

function parseParent(parent: BusParent | string): BusParent {
  const { msg_id, kind } = typeof parent === 'string' ? { msg_id: parent, kind: undefined } : parent
  if (typeof msg_id !== 'string' || !REFERENCE.test(msg_id))
    throw new PosternError('BUS_ID_INVALID', { field: 'id of the parent', id: msg_id })
  if (kind === undefined) return { msg_id }
  if (!KIND.test(kind)) throw invalid(`${JSON.stringify(kind)} is no kind of relation, such as depends_on`)
  return { msg_id, kind }
}

/** Nothing that a page could run when somebody follows it. */
const URL_FORM = /^(?!(?:javascript|data|vbscript):)[a-z][a-z0-9+.-]*:[^\s]+$/i

function parseLink({ kind, path, url, run_id, task_id }: BusLink): BusLink {
  if (path === undefined && url === undefined) throw invalid('a link has neither a path nor a url')
  if (url !== undefined && !URL_FORM.test(url)) throw invalid(`${JSON.stringify(url)} is no address`)
  return {
    ...labelled({ kind }),
    ...(path !== undefined && { path: parseLine('path', path, PATH_CHARACTERS) }),
    ...(url !== undefined && { url: parseLine('url', url, PATH_CHARACTERS) }),
    ...(run_id !== undefined && { run_id: parseBusId('run_id', run_id) }),
    ...(task_id !== undefined && { task_id: parseBusId('task_id', task_id) }),
  }
}

function parseMeta(meta: BusMeta): BusMeta {
  const own = OWN_META.find((key) => Object.hasOwn(meta, key))
  if (own !== undefined) throw invalid(`meta.${own} is not for its writer to say`)
  if (!isJson(meta) || Array.isArray(meta)) throw invalid('its meta is no JSON object, or is nested too deep')
  if (!isStorable(meta)) throw invalid('its meta holds a NUL character, or half a character')
  for (const key of Object.keys(meta)) parseLine('key of meta', key)
  return meta
}

function labelled<T extends Readonly<Record<string, string | undefined>>>(labels: T): { [K in keyof T]?: string } {
  const given = Object.entries(labels).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, parseLine(name, text)]],
  )
  return Object.fromEntries(given)
}

/** One line of text, as headers hold it. */
function parseLine(field: string, text: string, limit: number = LABEL_CHARACTERS): string {
  if (typeof text !== 'string' || text.trim() === '' || text.length > limit)
    throw invalid(`the ${field} is empty or has more than ${limit} characters`)
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) throw invalid(`the ${field} holds control characters`)
  return text
}

function atMost<T>(limit: number, what: string, list: readonly T[]): readonly T[] {
  if (list.length <= limit) return list
  throw invalid(`it has ${list.length} ${what}, and at most ${limit} are taken`)
}

function invalid(reason: string): PosternError {
  return new PosternError('BUS_ENTRY_INVALID', { reason })
}
