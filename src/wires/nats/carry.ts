import type { Message } from '../../model/message.ts'
import { RING_ALL } from '../../model/ring.ts'
import type { Copy } from '../wire.ts'
import type { Note } from './link.ts'
import { CHAIN_BROKEN, type Entry, NO_STREAM, type Outcome, type Publisher, SILENCE, TOO_LARGE } from './publish.ts'
import { copySubject } from './subjects.ts'

export interface CarryOptions {
  readonly publisher: Publisher
  readonly format: (message: Message) => string
  /** How large a copy may be for this server. */
  readonly maxBytes: number
  /** Rings a name instead of carrying a copy: the store has the message. */
  readonly ring: (name: string) => void
  /** Told that no stream has answered. */
  readonly onUnanswered: (failure: Error) => void
  /** Makes the stream again where it is gone. */
  readonly restoreStream: () => Promise<void>
  readonly note: Note
}

const MAX_WINDOW = 1_024
const MAX_WINDOW_BYTES = 1024 * 1024

/** The places in the stream of what it had not kept before. */
export interface Kept {
  /** `Infinity` where it had all of them. */
  readonly first: number
  readonly last: number
}

/**
 * Carries copies in order. Resolves once the stream has all of them; rejects with the failure of the first that it has
 * not, when none after it was kept either.
 */
export async function carryCopies(copies: readonly Copy[], options: CarryOptions): Promise<Kept> {
  const entries = entriesOf(copies, options)
  const sequences = { first: Number.POSITIVE_INFINITY, last: 0 }
  let next = 0
  let size = MAX_WINDOW
  let hasRestored = false
  while (next < entries.length) {
    const window = nextWindow(entries, next, size)
    const outcomes = await options.publisher.publish(window.map(({ entry }) => entry))
    const kept = countKept(outcomes)
    next += kept
    for (const outcome of outcomes.slice(0, kept)) {
      if (!('sequence' in outcome) || outcome.isDuplicate) continue
      sequences.first = Math.min(sequences.first, outcome.sequence)
      sequences.last = Math.max(sequences.last, outcome.sequence)
    }
    const refused = outcomes[kept]
    if (!refused || !('failure' in refused)) {
      size = Math.min(MAX_WINDOW, size * 2)
      continue
    }
    if (refused.code === CHAIN_BROKEN && kept > 0) {
      // Somebody publishes in between all the time, or this server compares with what it has written only: less at once.
      size = Math.max(1, Math.min(size, kept * 2))
    } else if (refused.code === TOO_LARGE) {
      ringInstead(entries[next++], options)
    } else if (refused.code === NO_STREAM || refused.code === SILENCE) {
      options.onUnanswered(refused.failure)
      if (hasRestored) throw refused.failure
      hasRestored = true
      await options.restoreStream()
    } else throw refused.failure
  }
  return sequences
}

interface Prepared {
  readonly entry: Entry
  readonly copy: Copy
}

/** Those that fit. The others are rung at once: a ring may come before its time. */
function entriesOf(copies: readonly Copy[], options: CarryOptions): readonly Prepared[] {
  const prepared: Prepared[] = []
  const encoder = new TextEncoder()
  for (const copy of copies) {
    const { message, agent } = copy
    const data = encoder.encode(options.format(message))
    const id = agent === null ? message.id : `${message.id}:${agent}`
    const made = { copy, entry: { id, subject: copySubject(agent), data } }
    if (data.length <= options.maxBytes) prepared.push(made)
    else ringInstead(made, options)
  }
  return prepared
}

function ringInstead(prepared: Prepared | undefined, { ring, note }: CarryOptions): void {
  if (!prepared) return
  const { entry, copy } = prepared
  note('wire.copy-too-large', { wire: 'nats', messageId: copy.message.id, bytes: entry.data.length })
  ring(copy.agent ?? RING_ALL)
}

function nextWindow(entries: readonly Prepared[], from: number, size: number): readonly Prepared[] {
  let bytes = 0
  let to = from
  while (to < entries.length && to - from < size && (to === from || bytes < MAX_WINDOW_BYTES))
    bytes += entries[to++]?.entry.data.length ?? 0
  return entries.slice(from, to)
}

function countKept(outcomes: readonly Outcome[]): number {
  const refused = outcomes.findIndex((outcome) => 'failure' in outcome)
  return refused === -1 ? outcomes.length : refused
}
