import { utf8Length } from '../../model/text.ts'

const ELLIPSIS = '…'

/** As much of a text as fits, with a sign where something is missing. */
export function cutToBytes(text: string, limit: number): string {
  if (utf8Length(text) <= limit) return text
  let bytes = utf8Length(ELLIPSIS)
  let end = 0
  for (const character of text) {
    bytes += utf8Length(character)
    if (bytes > limit) break
    end += character.length
  }
  return `${text.slice(0, end)}${ELLIPSIS}`
}
