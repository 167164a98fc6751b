const LONGEST = 8_192
const DECODED = Buffer.alloc(LONGEST)

/** True where it is base64 as it is always written: nothing else stands for the same bytes. */
export function isBase64(text: unknown): text is string {
  if (typeof text !== 'string') return false
  if (text.length > LONGEST) return Buffer.from(text, 'base64').toString('base64') === text
  const bytes = DECODED.write(text, 'base64')
  return DECODED.toString('base64', 0, bytes) === text
}
