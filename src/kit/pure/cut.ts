const ELLIPSIS = '…'

/** The beginning of a text, at most so many characters as JavaScript counts them. It never ends in half of one. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return text
  const isHalved = (text.codePointAt(length - 1) ?? 0) > 0xffff
  return text.slice(0, isHalved ? length - 1 : length)
}

/** A text of at most so many characters, with a sign where something is missing. */
export function cutToCharacters(text: string, limit: number): string {
  return text.length <= limit ? text : `${startOf(text, limit - 1)}${ELLIPSIS}`
}
