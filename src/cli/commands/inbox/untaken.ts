import { writeWhole } from '../../../kit/node/output.ts'
import type { InboxMessage, ShownMessage } from '../../../model/delivery.ts'
import type { Drained, DrainInbox, Postern } from '../../../model/postern.ts'
import { measure } from '../../../render/measure.ts'

const STDOUT = 1
/** Reads at most this many pending messages. The rest are neither shown nor counted. */
const MAX_LISTED = 1_000

const NOTICE = "Nothing was taken: the store's disk is full. These messages stay in the inbox and will be shown again."

/**
 * Shows what waits without taking it, where the store has no room to note that it was shown. Throws nothing: the caller
 * reports why nothing was taken.
 */
export async function showUntaken(
  { inbox }: Pick<Postern, 'inbox'>,
  bounds: DrainInbox,
  format: (drained: Drained) => string | Promise<string>,
): Promise<void> {
  try {
    const { items } = await inbox.list({ agent: bounds.agent, which: 'pending', limit: MAX_LISTED })
    const waiting = items.filter(({ priority }) => priority <= (bounds.maxPriority ?? priority))
    const messages = choose(waiting, bounds)
    if (messages.length === 0) return
    const text = await format({ offer: null, messages, remaining: waiting.length - messages.length })
    await writeWhole(STDOUT, `${NOTICE}\n${text}\n`)
  } catch {
    // The disk is too full even for that, or nobody reads the output.
  }
}

function choose(waiting: readonly InboxMessage[], bounds: DrainInbox): readonly ShownMessage[] {
  const room = {
    characters: bounds.maxCharacters ?? Number.POSITIVE_INFINITY,
    tokens: bounds.maxTokens ?? Number.POSITIVE_INFINITY,
  }
  const chosen: ShownMessage[] = []
  for (const message of waiting.toSorted((a, b) => a.priority - b.priority || a.inboxSeq - b.inboxSeq)) {
    if (chosen.length === bounds.maxMessages) break
    const form = measure(message, 'whole', room) ? 'whole' : 'headline'
    const size = measure(message, form, room)
    if (!size) break
    room.characters -= size.characters
    room.tokens -= size.tokens
    chosen.push({ ...message, form, attempt: message.attempt + 1 })
  }
  return chosen
}
