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

/**
 * False if the words of a message alone are longer than the room: its content and what it quotes. Rendering drops nothing
 * but the carriage return of a CRLF, so most texts need not be searched for it.
 */
export function mayFit({ content, quotes = [] }: InboxMessage, room: Size): boolean {
  const most = Math.min(room.characters, room.tokens * BYTES_PER_TOKEN)
  const texts = [content, ...quotes.map(({ text }) => text)]
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const dropped = () => texts.reduce((sum, text) => sum + text.split('\r\n').length - 1, 0)
  return length <= most || (length <= 2 * most && length - dropped() <= most)
}

function fitsIn(size: Size, room: Size): boolean {
  return size.characters <= room.characters && size.tokens <= room.tokens
}
