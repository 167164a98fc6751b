import { PosternError } from './errors.ts'

/**
 * Checks text that somebody wrote. NUL and lone surrogates are refused, because the engines keep them differently:
 * a message must read back as it was said, whatever it is stored in.
 */
export function parseText(field: string, value: unknown, maxBytes: number, hint = ''): string {
  if (typeof value !== 'string') {
    throw new PosternError('VALUE_INVALID', { field, value, next: 'Send it as text.' })
  }
  // A UTF-16 unit becomes at most three bytes, so most texts need no encoding to be known as short enough.
  if (value.length * 3 > maxBytes) {
    const bytes = utf8Length(value)
    if (bytes > maxBytes) throw new PosternError('CONTENT_TOO_LARGE', { field, bytes, limit: maxBytes, hint })
  }
  if (!value.isWellFormed()) throw new PosternError('TEXT_INVALID', { field, what: 'a lone surrogate' })
  if (value.includes('\0')) throw new PosternError('TEXT_INVALID', { field, what: 'a NUL character' })
  return value
}

export function utf8Length(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00) {
      bytes += 4
      i++
    } else bytes += 3
  }
  return bytes
}
