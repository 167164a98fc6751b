import { runInSlices } from '../../kit/pure/slices.ts'
import type { InboxMessage, ShownForm } from '../../model/delivery.ts'
import { CRITICAL } from '../../model/priority.ts'
import type { Context, Size } from '../context.ts'

/** However many critical messages wait, a drain looks at no more of them than this at once. */
export const CRITICAL_LIMIT = 200

interface Budget {
  readonly maxMessages: number
  readonly maxCharacters: number
  readonly maxTokens: number
  /** The count holds for critical messages too. */
  readonly boundsCritical?: boolean
}

type Measures = Pick<Context, 'measure' | 'mayFit' | 'frame'>

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
 *
 * It works in slices: timers and other callers run in between, however long it takes.
 */
export function chooseInSlices(
  ctx: Measures & Pick<Context, 'timers'>,
  candidates: readonly InboxMessage[],
  budget: Budget,
): Promise<Choice[]> {
  const pause = () => new Promise<void>((resolve) => void ctx.timers.after(0, resolve))
  return runInSlices(choosing(ctx, candidates, budget), pause)
}

/** Yields after each slice. */
function* choosing(ctx: Measures, candidates: readonly InboxMessage[], budget: Budget): Generator<void, Choice[]> {
  if (candidates.length === 0) return []
  const due = withinCount(candidates, budget)
  if (!Number.isFinite(budget.maxCharacters) && !Number.isFinite(budget.maxTokens)) {
    return due.map((message) => ({ message, form: 'whole' as const }))
  }
  return yield* withinRoom(ctx, due, budget)
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

function* withinRoom(ctx: Measures, due: readonly InboxMessage[], budget: Budget): Generator<void, Choice[]> {
  const oldest = oldestOf(due)
  const whole = minus({ characters: budget.maxCharacters, tokens: budget.maxTokens }, ctx.frame())
  const measurer = createMeasurer(ctx, whole)
  const shown: Choice[] = []
  let left = whole
  let reserved = reservedFor(measurer, oldest, whole)
  let isFull = false

  for (const message of due) {
    if (measurer.isSliceOver()) yield
    const isOldest = message === oldest
    if (isOldest) reserved = NOTHING
    else if (isFull && message.priority !== CRITICAL) continue
    const fitted = formWithin(measurer, message, { free: minus(left, reserved), isOldest })
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
function reservedFor(measurer: Measurer, oldest: InboxMessage, whole: Size): Size {
  const half = { characters: whole.characters / 2, tokens: whole.tokens / 2 }
  return measurer.whole(oldest, half) ?? measurer.headline(oldest, whole, true) ?? NOTHING
}

interface Room {
  readonly free: Size
  readonly isOldest: boolean
}

function formWithin(measurer: Measurer, message: InboxMessage, { free, isOldest }: Room): Fitted | undefined {
  const size = measurer.whole(message, free)
  if (size) return { form: 'whole', size }
  const mayBeHeadline = message.priority === CRITICAL || isOldest || measurer.neverFits(message)
  const headline = mayBeHeadline ? measurer.headline(message, free, isOldest) : undefined
  return headline && { form: 'headline', size: headline }
}

interface Measurer {
  /** Undefined if the message does not fit, or is not measured any more. */
  whole(message: InboxMessage, room: Size): Size | undefined
  /** Undefined if the headline does not fit, or is not measured any more. The oldest message is always measured. */
  headline(message: InboxMessage, room: Size, isOldest: boolean): Size | undefined
  /** Whether even an empty drain has no room for the message. False if it is not measured any more: it waits. */
  neverFits(message: InboxMessage): boolean
  /** Whether enough was measured since it was last true. */
  isSliceOver(): boolean
}

/**
 * Measures no further message whole after so many that were rendered and did not fit, nor any further headline. Each of
 * them costs as much as the room is large, and a sender may push hundreds that expand when they are shown.
 */
const MAX_MISSES = 4
/** A plain message of at most this many characters is always measured, and is never a miss: it costs little. */
const SHORT_CHARACTERS = 500
/** The characters of a slice. The worst of them take a millisecond per thousand. */
const SLICE_CHARACTERS = 16_000

function createMeasurer(ctx: Measures, whole: Size): Measurer {
  const misses: Record<ShownForm, number> = { whole: 0, headline: 0 }
  let measured = 0
  const isMeasured = (message: InboxMessage) => misses.whole < MAX_MISSES || isShort(message)

  function measure(message: InboxMessage, form: ShownForm, room: Size): Size | undefined {
    measured += form === 'whole' ? charactersOf(message) : SHORT_CHARACTERS
    const size = ctx.measure(message, form, room)
    if (!size && (form === 'headline' || !isShort(message))) misses[form]++
    return size
  }

  function measureWhole(message: InboxMessage, room: Size): Size | undefined {
    return ctx.mayFit(message, room) && isMeasured(message) ? measure(message, 'whole', room) : undefined
  }

  return {
    whole: measureWhole,
    headline: (message, room, isOldest) =>
      isOldest || misses.headline < MAX_MISSES ? measure(message, 'headline', room) : undefined,
    neverFits: (message) => !ctx.mayFit(message, whole) || (isMeasured(message) && !measureWhole(message, whole)),
    isSliceOver() {
      const isOver = measured >= SLICE_CHARACTERS
      if (isOver) measured = 0
      return isOver
    },
  }
}

/** About as many characters as are read to measure a message whole. */
function charactersOf(message: InboxMessage): number {
  return lengthOf(message) + (isPlain(message) ? 0 : SLICE_CHARACTERS)
}

/** The characters of a message's own words and of those that it quotes. */
function lengthOf({ content, quotes = [] }: InboxMessage): number {
  return quotes.reduce((sum, { text }) => sum + text.length, content.length)
}

function isPlain({ payload, context, attachments }: InboxMessage): boolean {
  return payload === null && context === null && attachments.length === 0
}

function isShort(message: InboxMessage): boolean {
  return lengthOf(message) <= SHORT_CHARACTERS && isPlain(message)
}

const NOTHING: Size = { characters: 0, tokens: 0 }

function minus(a: Size, b: Size): Size {
  return { characters: a.characters - b.characters, tokens: a.tokens - b.tokens }
}

function oldestOf(messages: readonly InboxMessage[]): InboxMessage {
  return messages.reduce((a, b) => (b.inboxSeq < a.inboxSeq ? b : a))
}
