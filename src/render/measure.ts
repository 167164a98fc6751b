import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import { renderEntry } from './entry.ts'
import { BYTES_PER_TOKEN, estimateTokens, type Size } from './tokens.ts'

/** As wide as the numbering of a message gets. */
const WIDEST_NUMBER = '999999/999999'

/**
 * The room that a drain needs for a message, its line end included; undefined if there is less. It is exact but for the
 * numbering, whose widest form is assumed, because a message is measured before it is known how many are shown.
 */
export function measure(message: InboxMessage, form: ShownForm, room: Size): Size | undefined {
  if (form === 'whole' && !mayFit(message, room)) return undefined
  const text = `${renderEntry(message, form, WIDEST_NUMBER)}\n`
  const size = { characters: text.length, tokens: estimateTokens(text) }
  return fitsIn(size, room) ? size : undefined
}

/** False if the content of a message alone is longer than the room. */
export function mayFit({ content }: InboxMessage, room: Size): boolean {
  return fitsIn(leastSize(content), room)
}

/** Rendering drops nothing but the carriage return of a CRLF, so this is known without it. */
function leastSize(content: string): Size {
  const characters = content.length - (content.split('\r\n').length - 1)
  return { characters, tokens: characters / BYTES_PER_TOKEN }
}

function fitsIn(size: Size, room: Size): boolean {
  return size.characters <= room.characters && size.tokens <= room.tokens
}
