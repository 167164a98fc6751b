import type { DeliveryState } from './delivery.ts'
import type { Json } from './json.ts'
import type { Priority } from './priority.ts'

/** Entries of a session's spool that are to become messages of its agent. */
export interface IngestEntries {
  readonly agent: string
  /** The session in whose spool they stood. */
  readonly sessionId?: string
  readonly entries: readonly IngestEntry[]
}

/** What a program that knows only the spool, or a list in Redis, has to say. Who wrote it cannot be known. */
export interface IngestEntry {
  readonly content: string
  readonly type?: string
  readonly subject?: string
  /** What else it says. Names in it are shown as names, never as who it was. */
  readonly payload?: Json
  /** How it came, where that was not by a spool. */
  readonly via?: 'redis'
  /** The name its writer gives itself. It is shown as that of a producer, and can be nobody else's. */
  readonly source?: string
  readonly priority?: Priority
  /** When it was written, by its writer's clock. */
  readonly writtenAt?: number
  /** Counts from when it was written, but at the latest from now. */
  readonly ttlMs?: number
  /** What the agent has under this key is the same, whatever it says. */
  readonly dedupKey?: string
  /** The writer's own id, or that of the message of which this is a copy. */
  readonly id?: string
  /** Tells an entry with neither key nor id from every other, and is the same when that entry comes again. */
  readonly place?: string
  /** It was shown before the store could be reached. */
  readonly shown?: { readonly at: number; readonly evidence: string }
}

/** What became of an entry. */
export interface Ingested {
  /** `known`: the agent had it already. `full`: there is no room for it now, so the entry must be brought again. */
  readonly outcome: 'stored' | 'known' | 'refused' | 'full'
  /** The message that was stored. */
  readonly id?: string
  readonly state?: DeliveryState
  /** Why it was refused. */
  readonly reason?: string
}
