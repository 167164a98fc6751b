import type { InboxMessage, ShownForm } from '../../model/delivery.ts'
import { CRITICAL } from '../../model/priority.ts'
import type { Context, Size } from '../context.ts'

interface Budget {
  readonly maxMessages: number
  readonly maxCharacters: number
  readonly maxTokens: number
  /** The count holds for critical messages too. */
  readonly boundsCritical?: boolean
}

type Measures = Pick<Context, 'measure' | 'frame'>

interface Fitted {
  readonly form: ShownForm
  readonly size: Size
}

export interface Choice {
  readonly message: InboxMessage
  readonly form: ShownForm
}

/**
 * Chooses what a drain shows, from candidates in the order in which they are due.
 *
 * The count bounds all but critical messages, unless it is said to bound these too; the room bounds everything. The
 * oldest waiting message is always among those shown, so that nothing starves, unless the one that is shown is critical.
 * A message that can never fit is shown by its headline, as is a critical one that does not fit now; after any other
 * that does not fit only these follow, because order is never broken.
 */
export function chooseWithin(ctx: Measures, candidates: readonly InboxMessage[], budget: Budget): Choice[] {
  if (candidates.length === 0) return []
  const due = withinCount(candidates, budget)
  if (!Number.isFinite(budget.maxCharacters) && !Number.isFinite(budget.maxTokens)) {
    return due.map((message) => ({ message, form: 'whole' as const }))
  }
  return withinRoom(ctx, due, budget)
}

function withinCount(
  candidates: readonly InboxMessage[],
  { maxMessages, boundsCritical = false }: Budget,
): readonly InboxMessage[] {
  if (candidates.length <= maxMessages) return candidates
  const oldest = oldestOf(candidates)
  const taken = new Set(candidates.slice(0, maxMessages))
  if (!boundsCritical) for (const message of candidates) if (message.priority === CRITICAL) taken.add(message)
  // The oldest takes the place of the least urgent, so that the count still holds.
  if (!taken.has(oldest)) {
    const last = [...taken].at(-1)
    const mayGoWithout = last?.priority !== CRITICAL || (boundsCritical && taken.size > 1)
    if (last && mayGoWithout && taken.size >= maxMessages) taken.delete(last)
    if (!boundsCritical || taken.size < maxMessages) taken.add(oldest)
  }
  return candidates.filter((message) => taken.has(message))
}

function withinRoom(ctx: Measures, due: readonly InboxMessage[], budget: Budget): Choice[] {
  const measures = withFewMisses(ctx)
  const oldest = oldestOf(due)
  const whole = minus({ characters: budget.maxCharacters, tokens: budget.maxTokens }, ctx.frame())
  const shown: Choice[] = []
  let left = whole
  let reserved = reservedFor(measures, oldest, whole)
  let isFull = false

  for (const message of due) {
    const isOldest = message === oldest
    if (isOldest) reserved = NOTHING
    else if (isFull && message.priority !== CRITICAL) continue
    const fitted = formWithin(measures, message, { free: minus(left, reserved), whole, isOldest })
    if (!fitted) {
      isFull ||= message.priority !== CRITICAL
      continue
    }
    left = minus(left, fitted.size)
    shown.push({ message, form: fitted.form })
  }
  return shown
}

/** Room that more urgent messages leave to the oldest: all it needs, unless it would crowd them out. */
function reservedFor({ measure }: Measures, oldest: InboxMessage, whole: Size): Size {
  const half = { characters: whole.characters / 2, tokens: whole.tokens / 2 }
  return measure(oldest, 'whole', half) ?? measure(oldest, 'headline', whole) ?? NOTHING
}

interface Room {
  readonly free: Size
  readonly whole: Size
  readonly isOldest: boolean
}

function formWithin(measures: Measures, message: InboxMessage, { free, whole, isOldest }: Room): Fitted | undefined {
  const size = measures.measure(message, 'whole', free)
  if (size) return { form: 'whole', size }
  const mayBeHeadline = message.priority === CRITICAL || isOldest || !measures.measure(message, 'whole', whole)
  const headline = mayBeHeadline ? measures.measure(message, 'headline', free) : undefined
  return headline && { form: 'headline', size: headline }
}

/**
 * Measures no further message whole after so many that did not fit. Each of them costs as much as the room is large, and
 * a sender may push hundreds that expand when they are shown.
 */
const MAX_MISSES = 4

function withFewMisses(ctx: Measures): Measures {
  let misses = 0
  return {
    ...ctx,
    measure(message, form, room) {
      if (form === 'whole' && misses >= MAX_MISSES) return undefined
      const size = ctx.measure(message, form, room)
      if (form === 'whole' && !size) misses++
      return size
    },
  }
}

const NOTHING: Size = { characters: 0, tokens: 0 }

function minus(a: Size, b: Size): Size {
  return { characters: a.characters - b.characters, tokens: a.tokens - b.tokens }
}

function oldestOf(messages: readonly InboxMessage[]): InboxMessage {
  return messages.reduce((a, b) => (b.inboxSeq < a.inboxSeq ? b : a))
}
