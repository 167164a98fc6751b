import type { Json } from '../../../model/json.ts'

/** The fields that the seed names, and ours, by their places in a raw header. */
export const FIELD = {
  msg_id: 0,
  ts: 1,
  type: 2,
  project_id: 3,
  task_id: 4,
  run_id: 5,
  issue_id: 6,
  parents: 7,
  attachment_path: 8,
  attachments: 9,
  links: 10,
  meta: 11,
  body_bytes: 12,
  sha256: 13,
  postern_mac: 14,
  header_sha256: 15,
} as const

/** What stands in a header, as it was found. */
export interface RawHeader {
  /** By their places; undefined where they are not there. A list, because looking up names takes longer than reading them. */
  readonly values: (Json | undefined)[]
  /** All that the seed does not name. */
  extra: Record<string, Json> | undefined
}

export interface Field {
  readonly name: string
  readonly place: number
  /** Its scalars are texts, whatever they look like: `task_id: 012` is "012". */
  readonly holdsTexts: boolean
}

export function createRawHeader(): RawHeader {
  return { values: NOTHING.slice(), extra: undefined }
}

const NOTHING: readonly undefined[] = Object.values(FIELD).map(() => undefined)

/** By the length of their names and the first letter: no two have both. */
const FIELDS: (Field | undefined)[] = []
for (const [name, place] of Object.entries(FIELD))
  FIELDS[signOf(name, 0, name.length)] = { name, place, holdsTexts: place !== FIELD.meta }

function signOf(text: string, from: number, to: number): number {
  return (to - from) * 128 + text.charCodeAt(from)
}

/** The field whose name stands between two places of a text; undefined for those that the seed does not name. */
export function fieldAt(text: string, from: number, to: number): Field | undefined {
  const field = FIELDS[signOf(text, from, to)]
  return field !== undefined && text.startsWith(field.name, from) ? field : undefined
}

export function fieldOf(key: string): Field | undefined {
  return fieldAt(key, 0, key.length)
}

/** False where the header has it already. */
export function putField(header: RawHeader, key: string, field: Field | undefined, value: Json): boolean {
  if (field === undefined) {
    header.extra ??= {}
    return putMember(header.extra, key, value)
  }
  if (header.values[field.place] !== undefined) return false
  header.values[field.place] = value
  return true
}

/** False where the map has it already. */
export function putMember(map: Record<string, Json>, key: string, value: Json): boolean {
  // What every object has by nature is no member of it.
  if (map[key] !== undefined && Object.hasOwn(map, key)) return false
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
  return true
}
