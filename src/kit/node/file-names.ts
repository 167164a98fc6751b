import { sha256 } from './crypto.ts'

const HARMLESS = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const MAX_NAME = 200
const KEPT_OF_LONG = 100

/**
 * A file name for any text. Letters, digits, `.`, `_` and `-` are kept as they are; of all others the bytes are written
 * as `%2F`, and what would be too long for a file system ends in its checksum instead. No two texts have one name.
 */
export function fileNameOf(text: string): string {
  if (isHarmlessName(text) && text.length <= MAX_NAME) return text
  const encoded = [...Buffer.from(text)].map(encodeByte).join('')
  if (encoded !== '' && encoded.length <= MAX_NAME) return encoded
  return `${encoded.slice(0, KEPT_OF_LONG)}~${sha256(text)}`
}

/** Whether a text is its own file name, as far as its characters go. */
export function isHarmlessName(text: string): boolean {
  return HARMLESS.test(text)
}

function encodeByte(byte: number, at: number): string {
  const character = String.fromCharCode(byte)
  const isKept = at === 0 ? /[A-Za-z0-9]/.test(character) : /[A-Za-z0-9._-]/.test(character)
  return isKept ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
