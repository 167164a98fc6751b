import type { Json } from '../json.ts'

/**
 * One message on a bus, in the words of seed 002, which are those of its files, its JSON and its HTTP. Fields that are not
 * there are absent, never null or empty.
 */
export interface BusEntry {
  readonly msg_id: string
  /** When it was written, by the clock of whoever did; only for people, and for putting two buses together. */
  readonly ts: string
  readonly type: string
  readonly project_id: string
  readonly task_id?: string
  readonly run_id?: string
  readonly issue_id?: string
  readonly parents?: readonly BusParent[]
  /** The older form of a single attachment. */
  readonly attachment_path?: string
  readonly attachments?: readonly BusAttachment[]
  readonly links?: readonly BusLink[]
  readonly meta?: BusMeta
  /** Headers that are neither the seed's nor ours, as another writer set them. */
  readonly extra?: BusMeta
  readonly body: string
  /** The body's bytes, where they are not UTF-8; `body` then holds what can be read of them. */
  readonly body_base64?: string
}

/** When an entry was written, in milliseconds. One without a readable time sorts before all others. */
export function entryTime({ ts }: Pick<BusEntry, 'ts'>): number {
  const time = Date.parse(ts)
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time
}

export type BusMeta = { readonly [key: string]: Json }

export interface BusParent {
  readonly msg_id: string
  /** `depends_on`, `answers`, …: an open set. Absent: only "comes after". */
  readonly kind?: string
}

export interface BusAttachment {
  /** Relative to the folder of the task, or of the project. */
  readonly path: string
  readonly kind?: string
  readonly label?: string
  readonly mime?: string
  readonly size_bytes?: number
  readonly sha256?: string
}

/** Points at something that is not ours to show: its path is never read. */
export interface BusLink {
  readonly kind?: string
  readonly path?: string
  readonly url?: string
  readonly run_id?: string
  readonly task_id?: string
}

/** What an entry says; its id and its time are given when it is written. */
export interface EntryDraft extends Omit<BusEntry, 'msg_id' | 'ts' | 'body' | 'body_base64' | 'extra'> {
  readonly body: Uint8Array
}

/** Which bus: that of a task, or of the project where none is named. */
export interface BusPlace {
  readonly project_id: string
  readonly task_id?: string
}

/** The seed's types. Others may be posted and are read as they are. */
export const BUS_TYPES = [
  'FACT',
  'QUESTION',
  'ANSWER',
  'USER',
  'INFO',
  'WARNING',
  'ERROR',
  'OBSERVATION',
  'ISSUE',
  'START',
  'STOP',
  'CRASH',
] as const

/** Older names, which are read for what they mean and never written. */
export const BUS_TYPE_ALIASES: Readonly<Record<string, string>> = {
  RUN_START: 'START',
  RUN_STOP: 'STOP',
  RUN_CRASH: 'CRASH',
}

/** The kinds that have a meaning for issues; `answers` also for decisions. */
export const PARENT_KINDS = [
  'depends_on',
  'blocks',
  'blocked_by',
  'supersedes',
  'duplicates',
  'relates_to',
  'child_of',
  'answers',
] as const

export const BUS_LIMITS = {
  /** Above this a body is taken with a hint to attach it instead. */
  softBodyBytes: 64 * 1024,
  bodyBytes: 256 * 1024,
  /** The whole header of an entry, as it stands in the file. */
  headerBytes: 16 * 1024,
  idCharacters: 128,
  /** Data that comes with an entry; what is larger is put into the folder, and named by its path. */
  attachmentBytes: 32 * 1024 * 1024,
} as const
