import { unwrapReminder } from '../render/reminder.ts'
import type { SpoolEntry } from '../spool/entry.ts'
import { SpoolError } from '../spool/file.ts'
import { type CarriedCopy, parseCopy } from './copy.ts'
import { withTimeouts } from './courier-postern.ts'
import type { Round, RoundOutcome, RoundParams } from './round.ts'

export interface TakerParams extends Pick<RoundParams, 'agent' | 'reach' | 'note' | 'now'> {
  readonly contentBytes: number
  readonly round: Round
  /** Runs a round that begins after this call. */
  readonly next: () => Promise<RoundOutcome>
  /** Asks for a round soon, without waiting for it. */
  readonly ring: () => void
}

export interface Taker {
  /** Resolves when a line may be acknowledged. If it rejects, the wire must deliver the line again. */
  take(line: string): Promise<void>
  /** Resolves when no line is in flight. */
  idle(): Promise<void>
}

/** A sender that floods the wire with invalid lines must not flood the log too. */
const REFUSALS_NOTED_EVERY_MS = 10_000

/**
 * Takes copies from a wire. Each copy starts a round, which puts the pending messages into the spool; a copy of a
 * message that was seen long ago adds nothing. An entry that the store does not know is stored first, because a session
 * may end and its spool with it. Only if the store cannot take it, the copy itself goes to the spool: nothing is
 * acknowledged before it is stored somewhere.
 */
export function createTaker({ agent, reach, note, now, contentBytes, round, next, ring }: TakerParams): Taker {
  const inFlight = new Set<Promise<void>>()
  let notedAt = Number.NEGATIVE_INFINITY
  let refused = 0

  function refuse(reason: string): void {
    refused++
    if (now() - notedAt < REFUSALS_NOTED_EVERY_MS) return
    note('courier.refused', { reason, lines: refused })
    notedAt = now()
    refused = 0
  }

  async function takeLine(line: string): Promise<void> {
    const copy = parseCopy(line, { contentBytes, now: now() })
    if ('fault' in copy) return refuse(copy.fault)
    const { id } = copy.entry
    // The spool has had this message. It comes again when it was released to the inbox: then the agent may have to be
    // woken.
    if (id !== undefined && (await isHeld(id))) return ring()
    const outcome = await next()
    if (outcome.trouble !== undefined && outcome.trouble !== 'refused') {
      throw new SpoolError(outcome.trouble, 'the spool could not be written to')
    }
    if (outcome.isReached && copy.isOfMessage) return
    if (outcome.isReached && (await putInStore(copy.entry))) return ring()
    if (await putInSpool(copy)) return round.wakeIfAtRest()
    if (!copy.isOfMessage) throw new Error(`neither the inbox of ${agent} nor a spool can take it`)
  }

  /** A spool that cannot be read now counts as empty. */
  async function isHeld(id: string): Promise<boolean> {
    try {
      return (await round.spool()?.holds(id)) ?? false
    } catch (error) {
      if (error instanceof SpoolError) return false
      throw error
    }
  }

  async function putInSpool({ entry }: CarriedCopy): Promise<boolean> {
    try {
      return (await round.spool()?.put([entry])) ?? false
    } catch (error) {
      if (error instanceof SpoolError && error.trouble === 'refused') return false
      throw error
    }
  }

  /** False if the store is full or fails. True also for an entry that it refuses, because it always would. */
  async function putInStore(entry: SpoolEntry): Promise<boolean> {
    const entries = [{ ...entry, content: unwrapReminder(entry.content) }]
    try {
      const { inbox } = withTimeouts(await reach())
      const [stored] = await inbox.ingest({ agent, entries })
      if (stored?.outcome === 'refused') refuse(stored.reason ?? 'the store refused it')
      return stored?.outcome !== 'full'
    } catch {
      return false
    }
  }

  return {
    take(line) {
      const task = takeLine(line)
      inFlight.add(task)
      const done = () => inFlight.delete(task)
      task.then(done, done)
      return task
    },
    async idle() {
      await Promise.allSettled(inFlight)
    },
  }
}
