import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Note } from './link.ts'
import { BROADCAST, copySubject, EVERY_COPY } from './subjects.ts'

export const STREAM = 'INBOX_EVENTS'

const NS_PER_MS = 1_000_000
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000
const DUPLICATE_WINDOW_MS = 2 * 60 * 1000
/** For each subject of its own, so that a noisy agent pushes out nobody's copies but its own. */
const MAX_PER_SUBJECT = 10_000

/** Stands for every agent: no id is so, so that no stream has the copies of this one only. */
const ANYBODY = '*anybody'

/** A stream as it was found or made. */
export interface StreamSeen {
  readonly name: string
  /** Another one after it was deleted and made again: its messages count from 1 again. */
  readonly madeAt: string
  readonly lastSequence: number
  readonly isNew: boolean
}

/**
 * Finds the stream of copies or makes it. One that somebody else has made keeps what it may keep; only what would lose
 * copies of the quiet or keep them for ever is set right. Where even that is refused it is used as it is.
 */
export async function ensureStream(manager: JetStreamManager, note: Note): Promise<StreamSeen> {
  const found = await findStream(manager)
  if (!found) return seen(await makeStream(manager, note), true)
  const change = amend(found.config)
  if (!change) return seen(found, false)
  try {
    return seen(await manager.streams.update(found.config.name, change), false)
  } catch (error) {
    note('wire.stream-kept', { stream: found.config.name, error: reasonOf(error) })
    return seen(found, false)
  }
}

async function findStream(manager: JetStreamManager): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(STREAM)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.status === 404
}

async function makeStream(manager: JetStreamManager, note: Note): Promise<StreamInfo> {
  try {
    return await manager.streams.add({
      name: STREAM,
      subjects: [EVERY_COPY],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_msgs: -1,
      max_msgs_per_subject: MAX_PER_SUBJECT,
      max_age: MAX_AGE_MS * NS_PER_MS,
      duplicate_window: DUPLICATE_WINDOW_MS * NS_PER_MS,
    })
  } catch (error) {
    const other = await findOther(manager)
    if (other === undefined) throw error
    note('wire.stream-kept', { stream: other, error: reasonOf(error) })
    return manager.streams.info(other)
  }
}

/** Another stream may hold these subjects already, under a name of its own. One that has some of them is of no use. */
async function findOther(manager: JetStreamManager): Promise<string | undefined> {
  const subjects = [BROADCAST, copySubject(ANYBODY)]
  const found = await Promise.all(subjects.map((subject) => manager.streams.find(subject).catch(() => undefined)))
  const [other] = found
  return found.every((name) => name === other) ? other : undefined
}

/** What has to be set right, or undefined. Limits that somebody has chosen stay; only their absence is mended. */
function amend(config: StreamConfig): Partial<StreamConfig> | undefined {
  const right: StreamConfig = {
    ...config,
    subjects: config.subjects.includes(EVERY_COPY) ? config.subjects : [...config.subjects, EVERY_COPY],
    discard: DiscardPolicy.Old,
    max_msgs: -1,
    max_msgs_per_subject: config.max_msgs_per_subject > 0 ? config.max_msgs_per_subject : MAX_PER_SUBJECT,
    max_age: config.max_age > 0 ? config.max_age : MAX_AGE_MS * NS_PER_MS,
  }
  const isRight = (Object.keys(right) as (keyof StreamConfig)[]).every((key) => right[key] === config[key])
  return isRight ? undefined : right
}

function seen({ config, created, state }: StreamInfo, isNew: boolean): StreamSeen {
  return { name: config.name, madeAt: created, lastSequence: state.last_seq, isNew }
}
