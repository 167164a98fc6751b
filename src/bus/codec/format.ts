import { sha256Soon } from '../../kit/node/sha256-soon.ts'
import { BUS_LIMITS, type BusPlace, type EntryDraft } from '../../model/bus/entry.ts'
import { PosternError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { canonicalType } from './aliases.ts'
import { escapeBody } from './dashes.ts'
import { formatField, formatScalar, Unwritable } from './header/yaml-lines.ts'
import { HEADER_CHECKSUM_BYTES, withHeaderChecksum } from './header-checksum.ts'
import { formatMacLine, MAC_LINE_BYTES, type MacKey, macData } from './mac.ts'
import { type Matter, textOf } from './matter.ts'
import { Sheet } from './sheet.ts'

/** Which entry it is, and when it was written. */
export interface Stamp {
  readonly msg_id: string
  readonly ts: string
}

export interface WholeDraft extends EntryDraft, Stamp {}

/** What an entry says, as it stands in a file. Only its id and its time are missing. */
export interface FormattedEntry {
  readonly header: string
  readonly body: Buffer
  readonly proof?: Proof | undefined
}

/** What the MAC of an entry is made with, once its id and time are known. */
export interface Proof {
  readonly key: MacKey
  readonly place: BusPlace
}

const RULE = '---\n'
const LONGEST_ID = 'MSG-20000101-000000-000000000-PID9999999999-9999999999'

/** An entry by itself. */
export function formatEntry(entry: WholeDraft): Buffer {
  const sheet = new Sheet()
  writeEntry(formatDraft(entry, { stamp: entry }), entry, sheet)
  return sheet.bytes
}

/**
 * Formats what an entry says. It reads back as it is, byte for byte; what cannot is refused with BUS_ENTRY_INVALID, and so is
 * a header that would be over the limit with this stamp, or with the longest one. The body is not copied unless it must be.
 */
export function formatDraft(
  draft: EntryDraft,
  { stamp, proof }: { readonly stamp?: Stamp; readonly proof?: Proof | undefined } = {},
): FormattedEntry {
  const { body } = draft
  const said = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const stored = escapeBody(said)
  const matter = orInvalid(() => textOf(draft, formatMatter))
  const header = `${matter}body_bytes: ${stored.length}\nsha256: ${sha256Soon(said)}\n`
  const stampBytes = stamp ? orInvalid(() => bytesOf(formatStamp(stamp))) : longestStampBytes
  const bytes = stampBytes + (proof ? MAC_LINE_BYTES : 0) + HEADER_CHECKSUM_BYTES + bytesOf(header)
  if (bytes > BUS_LIMITS.headerBytes)
    throw invalid(`its header has ${bytes} bytes, and at most ${BUS_LIMITS.headerBytes} are taken`)
  return { header, body: stored, proof }
}

/** Adds an entry as it stands in a file, with a line break at its end. */
export function writeEntry({ header, body, proof }: FormattedEntry, stamp: Stamp, sheet: Sheet): void {
  const first = formatStamp(stamp)
  const mac = proof ? formatMacLine(proof.key.macOf(macData(proof.place, Buffer.from(first + header)))) : ''
  sheet.addText(`${RULE}${withHeaderChecksum(`${first}${mac}${header}`)}${RULE}`)
  sheet.addBytes(body)
  sheet.addText('\n')
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text)
}

function orInvalid<T>(format: () => T): T {
  try {
    return format()
  } catch (error) {
    if (error instanceof Unwritable) throw invalid(error.message)
    throw error
  }
}

/** First, as in the seed's example. */
function formatStamp({ msg_id, ts }: Stamp): string {
  return `msg_id: ${formatScalar(required('msg_id', msg_id))}\n${formatTime(ts)}`
}

/** In the order of the seed's example. */
function formatMatter(entry: Matter): string {
  const { meta } = entry
  return (
    formatRequired('type', canonicalType(entry.type)) +
    formatRequired('project_id', entry.project_id) +
    formatOptional('task_id', entry.task_id) +
    formatOptional('run_id', entry.run_id) +
    formatOptional('issue_id', entry.issue_id) +
    formatList('parents', entry.parents, PARENT, ['msg_id']) +
    formatOptional('attachment_path', entry.attachment_path) +
    formatList('attachments', entry.attachments, ATTACHMENT, ['path']) +
    formatList('links', entry.links, LINK, []) +
    (meta !== undefined && Object.keys(meta).length > 0 ? formatField('meta', meta) : '')
  )
}

const PARENT = ['msg_id', 'kind'] as const
const ATTACHMENT = ['path', 'kind', 'label', 'mime', 'size_bytes', 'sha256'] as const
const LINK = ['kind', 'path', 'url', 'run_id', 'task_id'] as const

function formatRequired(key: string, value: string): string {
  return formatField(key, required(key, value))
}

function required(key: string, value: string): string {
  if (value === '') throw new Unwritable(`its ${key} is empty`)
  return value
}

function formatOptional(key: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : formatField(key, value)
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[-+]\d\d:\d\d)$/

/** Not quoted, as in the seed: nobody takes it for anything but a time. */
function formatTime(ts: string): string {
  if (latest?.ts !== ts) {
    if (!RFC_3339.test(ts)) throw new Unwritable('its ts is no time')
    latest = { ts, line: `ts: ${ts}\n` }
  }
  return latest.line
}

/** Most entries of one second come together. */
let latest: { readonly ts: string; readonly line: string } | undefined

const longestStampBytes = bytesOf(formatStamp({ msg_id: LONGEST_ID, ts: '2000-01-01T00:00:00Z' }))

function formatList<T extends object>(
  key: string,
  list: readonly T[] | undefined,
  names: readonly (keyof T & string)[],
  required: readonly (keyof T & string)[],
): string {
  if (list === undefined || list.length === 0) return ''
  const items = list.map((item) => {
    for (const name of required) if (!item[name]) throw new Unwritable(`one of its ${key} has no ${name}`)
    return membersOf(item, names, key)
  })
  return formatField(key, items)
}

function membersOf<T extends object>(
  item: T,
  names: readonly (keyof T & string)[],
  key: string,
): { readonly [name: string]: Json } {
  const present = names.filter((name) => item[name] !== undefined)
  if (present.length === 0) throw new Unwritable(`one of its ${key} is empty`)
  return Object.fromEntries(present.map((name) => [name, memberOf(name, item[name], key)]))
}

/** All of them are texts but a size, which reads back only where it is one. */
function memberOf(name: string, value: unknown, key: string): Json {
  const isRight = name === 'size_bytes' ? Number.isSafeInteger(value) && Number(value) >= 0 : typeof value === 'string'
  if (!isRight) throw new Unwritable(`the ${name} of one of its ${key} is not valid`)
  return value as string | number
}

function invalid(reason: string): PosternError {
  return new PosternError('BUS_ENTRY_INVALID', { reason })
}
