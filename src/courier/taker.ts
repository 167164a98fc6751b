import { unwrapReminder } from '../render/reminder.ts'
import type { SpoolEntry } from '../spool/entry.ts'
import { SpoolError } from '../spool/file.ts'
import { type CarriedCopy, parseCopy } from './copy.ts'
import { withTimeouts } from './courier-postern.ts'
import type { Outcome, Round, RoundParams } from './round.ts'

export interface TakerParams extends Pick<RoundParams, 'agent' | 'reach' | 'note' | 'now'> {
  readonly contentBytes: number
  readonly round: Round
  /** A round that begins after this. */
  readonly next: () => Promise<Outcome>
  /** Asks for a round soon, for nobody in particular. */
  readonly ring: () => void
}

export interface Taker {
  /** Resolves when a line is done with; where it rejects the line must come again. */
  take(line: string): Promise<void>
  /** Resolves when nothing is in hand. */
  idle(): Promise<void>
}

/** Whoever floods a wire with nonsense must not flood the log too. */
const REFUSALS_NOTED_EVERY_MS = 10_000

/**
 * Takes copies from a wire. A message that waits is put into the spool by the round that each copy brings about, and one
 * that was seen long ago is not. What the store has never heard of is stored first, because a session may end and its
 * spool with it. Only where the store cannot take it the copy itself goes to the spool: nothing is acknowledged that is
 * nowhere.
 */
export function createTaker({ agent, reach, note, now, contentBytes, round, next, ring }: TakerParams): Taker {
  const inHand = new Set<Promise<void>>()
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
    // What was brought before comes again when it was given back: there is nothing to bring, but perhaps somebody to wake.
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

  /** A spool that cannot be read now holds nothing that is known. */
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

  /** False where it has no room, or fails. An entry that it refuses nobody ever takes, so that is done with too. */
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
      inHand.add(task)
      const done = () => inHand.delete(task)
      task.then(done, done)
      return task
    },
    async idle() {
      await Promise.allSettled(inHand)
    },
  }
}
