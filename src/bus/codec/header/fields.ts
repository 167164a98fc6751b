import type { BusAttachment, BusEntry, BusLink, BusParent, BusPlace } from '../../../model/bus/entry.ts'
import type { Json } from '../../../model/json.ts'
import { canonicalType } from '../aliases.ts'
import { FIELD, type RawHeader } from './raw-header.ts'

/** An entry without its body, while it is put together. */
export type EntryFields = { -readonly [K in keyof Omit<BusEntry, 'body' | 'body_base64'>]: BusEntry[K] }

type Map = { readonly [key: string]: Json }

/** The entry, or what it lacks, as the end of a sentence. */
export function readFields({ values, extra }: RawHeader, place: BusPlace | undefined): EntryFields | string {
  const msg_id = values[FIELD.msg_id]
  const ts = values[FIELD.ts]
  const type = values[FIELD.type]
  const named = values[FIELD.project_id]
  const project_id = isFilled(named) ? named : place?.project_id
  if (!isFilled(msg_id)) return 'its header has no msg_id'
  if (!isFilled(ts)) return 'its header has no ts'
  if (!isFilled(type)) return 'its header has no type'
  if (project_id === undefined) return 'its header has no project_id'
  const fields: EntryFields = { msg_id, ts, type: canonicalType(type), project_id }
  readTexts(fields, values)
  if (project_id !== named && place?.task_id !== undefined) fields.task_id ??= place.task_id
  readOthers(fields, values)
  if (extra !== undefined) fields.extra = extra
  return fields
}

type Values = RawHeader['values']

function readTexts(fields: EntryFields, values: Values): void {
  const task_id = values[FIELD.task_id]
  const run_id = values[FIELD.run_id]
  const issue_id = values[FIELD.issue_id]
  if (isFilled(task_id)) fields.task_id = task_id
  if (isFilled(run_id)) fields.run_id = run_id
  if (isFilled(issue_id)) fields.issue_id = issue_id
}

/** What is not understood counts as absent: what a writer has to say matters more than how it is labelled. */
function readOthers(fields: EntryFields, values: Values): void {
  const parents = values[FIELD.parents]
  const attachment_path = values[FIELD.attachment_path]
  const attachments = values[FIELD.attachments]
  const links = values[FIELD.links]
  const meta = values[FIELD.meta]
  if (parents !== undefined) setFilled(fields, 'parents', readList(parents, readParent))
  if (isFilled(attachment_path)) fields.attachment_path = attachment_path
  if (attachments !== undefined) setFilled(fields, 'attachments', readList(attachments, readAttachment))
  if (links !== undefined) setFilled(fields, 'links', readList(links, readLink))
  if (isMap(meta) && !isEmpty(meta)) fields.meta = withoutProof(meta)
}

/** Every program that can write the file can write this word. Only the MAC of an entry proves it. */
function withoutProof(meta: Map): Map {
  return meta['from_verified'] === undefined ? meta : { ...meta, from_verified: false }
}

function isFilled(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function isMap(value: Json | undefined): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(map: Map): boolean {
  for (const _ in map) return false
  return true
}

function setFilled<K extends 'parents' | 'attachments' | 'links'>(
  fields: EntryFields,
  key: K,
  list: NonNullable<EntryFields[K]>,
): void {
  if (list.length > 0) fields[key] = list
}

function readList<T>(value: Json, readItem: (item: Json) => T | undefined): readonly T[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : [value]
  return list.map(readItem).filter((item) => item !== undefined)
}

/** Ids alone are the older form. */
function readParent(item: Json): BusParent | undefined {
  if (isFilled(item)) return { msg_id: item }
  if (!isMap(item) || !isFilled(item['msg_id'])) return undefined
  const { kind } = item
  return typeof kind === 'string' ? { msg_id: item['msg_id'], kind } : { msg_id: item['msg_id'] }
}

function readAttachment(item: Json): BusAttachment | undefined {
  if (isFilled(item)) return { path: item }
  if (!isMap(item) || !isFilled(item['path'])) return undefined
  const size = readSize(item['size_bytes'])
  return {
    path: item['path'],
    ...textsOf(item, ['kind', 'label', 'mime']),
    ...(size !== undefined && { size_bytes: size }),
    ...textsOf(item, ['sha256']),
  }
}

const MAX_DIGITS = 16

export function readSize(value: Json | undefined): number | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_DIGITS) return undefined
  let size = 0
  for (let at = 0; at < value.length; at++) {
    const digit = value.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return undefined
    size = size * 10 + digit
  }
  return size
}

function readLink(item: Json): BusLink | undefined {
  if (!isMap(item)) return undefined
  const link = textsOf(item, ['kind', 'path', 'url', 'run_id', 'task_id'])
  return isEmpty(link) ? undefined : link
}

function textsOf<K extends string>(map: Map, keys: readonly K[]): { readonly [P in K]?: string } {
  const texts: Record<string, string> = {}
  for (const key of keys) {
    const value = map[key]
    if (typeof value === 'string') texts[key] = value
  }
  return texts as { readonly [P in K]?: string }
}
