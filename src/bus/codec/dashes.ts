/**
 * In the seed's format a line of dashes ends an entry and begins the next. A body of ours therefore never has one in the
 * file: such a line gets a backslash in front, and one that has backslashes already gets one more.
 *
 * What is a line, and what counts as nothing but dashes, differs from reader to reader. So everything counts that any of
 * them could take for it: all line ends and all white space of Unicode, here as bytes of UTF-8.
 */
const LINE_END = String.raw`[\n-\r\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9]`
const BLANK = String.raw`[\t\x1f\x20]|\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8b\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf`
const BEGIN = `(^|${LINE_END})`
const DASHES = `(?:${BLANK})*-{3,}(?:${BLANK})*`
const END = `(?=${LINE_END}|$)`

const TO_ESCAPE = new RegExp(`${BEGIN}(?=\\\\*${DASHES}${END})`, 'g')
const TO_UNESCAPE = new RegExp(`${BEGIN}\\\\(?=\\\\*${DASHES}${END})`, 'g')
const LAST_LINE = new RegExp(`${BEGIN}${DASHES}$`)

export function escapeBody(body: Buffer): Buffer {
  return replace(body, TO_ESCAPE, '$1\\')
}

export function unescapeBody(body: Buffer): Buffer {
  return replace(body, TO_UNESCAPE, '$1')
}

/** True where the line that a body ends with could be taken for a line of dashes, once it has an end. */
export function endsWithDashes(body: Buffer): boolean {
  return hasDashes(body) && LAST_LINE.test(body.toString('latin1'))
}

/** Above it Node's own search is quicker, which takes its time to begin. */
const SHORT_BYTES = 1_024
const DASH = 0x2d

/** True for a body in which something may be escaped. */
export function hasDashes(body: Buffer): boolean {
  if (body.length > SHORT_BYTES) return body.includes('---')
  for (let last = 2; last < body.length; ) {
    if (body[last] !== DASH) last += 3
    else if (body[last - 1] === DASH && body[last - 2] === DASH) return true
    else last++
  }
  return false
}

/** Latin-1 has a character for every byte, and takes it back unchanged. */
function replace(body: Buffer, pattern: RegExp, by: string): Buffer {
  if (!hasDashes(body)) return body
  const text = body.toString('latin1')
  const replaced = text.replace(pattern, by)
  return replaced.length === text.length ? body : Buffer.from(replaced, 'latin1')
}
