/** With a header or two of them an answer, and the request of whoever comes back, are still what others take. */
export const CURSOR_CHARACTERS = 4_000

/**
 * Cursors hold ids that others made, which may be any text. In a header or a line of a stream they must not end it: what
 * is no plain character is written as in a URL. Undefined where that is longer than a header can be.
 */
export function formatCursor(cursor: string): string | undefined {
  const text = cursor.toWellFormed().replace(/[^!-$&-~]/gu, encodeURIComponent)
  return text.length <= CURSOR_CHARACTERS ? text : undefined
}

/** What was formatted so; any other text is what it is. */
export function parseCursor(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
