import type { BusPlace } from '../../../model/bus/entry.ts'
import { type EntryFields, readFields, readSize } from './fields.ts'
import { FIELD } from './raw-header.ts'
import { type Patience, readStrictHeader } from './strict-yaml.ts'
import type { UsualYaml } from './usual-yaml.ts'

/** Where headers are. */
export interface HeaderSource {
  readonly bytes: Buffer
  /** The bus of the file, where that is known. An entry that names no project is on it. */
  readonly place: BusPlace | undefined
  readonly usual: UsualYaml
  readonly patience: Patience
}

export interface Header {
  readonly fields: EntryFields
  /** How long the body is in the file, where its writer says so. */
  readonly bodyBytes: number | undefined
  /** The checksum of the body as it was said, where its writer is one of ours. */
  readonly sha256: string | undefined
  readonly hasMac: boolean
  /** It has a checksum of its own. */
  readonly isChecked: boolean
}

/** The header between two places; or why it is none, as the end of a sentence. */
export function parseHeader(
  { bytes, usual, patience, place }: HeaderSource,
  from: number,
  to: number,
): Header | string {
  const raw = usual.read(from, to) ?? readStrictHeader(bytes.subarray(from, to), patience)
  if ('refused' in raw) return raw.refused
  const body_bytes = raw.values[FIELD.body_bytes]
  const sha256 = raw.values[FIELD.sha256]
  const isChecked = raw.values[FIELD.header_sha256] !== undefined
  const fields = readFields(raw, place)
  if (typeof fields === 'string') return fields
  const bodyBytes = readSize(body_bytes)
  if (body_bytes === undefined || sha256 === undefined)
    return { fields, bodyBytes, sha256: undefined, hasMac: false, isChecked }
  if (bodyBytes === undefined || typeof sha256 !== 'string') return 'its body_bytes or sha256 is not valid'
  return { fields, bodyBytes, sha256, hasMac: raw.values[FIELD.postern_mac] !== undefined, isChecked }
}
