import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import { renderEntry } from './entry.ts'
import { estimateTokens, type Size } from './tokens.ts'

/** As wide as the numbering of a message gets. */
const WIDEST_NUMBER = '999999/999999'

/**
 * The room that a drain needs for a message, its line end included. It is exact but for the numbering, whose widest
 * form is assumed, because a message is measured before it is known how many are shown.
 */
export function measure(message: InboxMessage, form: ShownForm): Size {
  const text = `${renderEntry(message, form, WIDEST_NUMBER)}\n`
  return { characters: text.length, tokens: estimateTokens(text) }
}
