import { isAscii } from 'node:buffer'
import { BUS_LIMITS } from '../../../model/bus/entry.ts'
import type { HeaderSource } from '../header/parse-header.ts'
import { createPatience } from '../header/strict-yaml.ts'
import { UsualYaml } from '../header/usual-yaml.ts'

/** The bytes of a piece, and the same as text: one character per byte, in which searching is quick. */
export interface Source extends HeaderSource {
  readonly text: string
  /** Every text is then a part of this one. */
  readonly isAscii: boolean
  /** Where in the file they begin. All other places here are within the piece. */
  readonly offset: number
  readonly isLast: boolean
  readonly checksHeaders: boolean
  /** The header for which a closing line was last sought: whoever looks where an entry ends looks at the next one. */
  readonly sought: { from: number; closing: Closing | undefined }
}

type Part = Pick<Source, 'bytes' | 'offset' | 'isLast'> & Partial<Pick<Source, 'place' | 'checksHeaders'>>

export function createSource({ bytes, offset, isLast, place, checksHeaders = false }: Part): Source {
  const text = bytes.toString('latin1')
  const usual = new UsualYaml(bytes, text)
  const sought = { from: -1, closing: undefined }
  const part = { bytes, offset, isLast, place, checksHeaders }
  return { ...part, text, isAscii: isAscii(bytes), sought, usual, patience: createPatience() }
}

/** A line that ends a header. */
export interface Closing {
  readonly at: number
  /** Where the next line begins. */
  readonly after: number
  /** False where the piece ends before the line does. */
  readonly isEnded: boolean
}

const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20

/**
 * Where the line after a line `---` begins. Blanks behind the dashes do not count. -1 for any other line, and one more than
 * the end of the text where that comes first.
 */
export function afterRule(text: string, at: number): number {
  if (!text.startsWith('---', at)) return -1
  for (let end = at + 3; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === NEWLINE) return end + 1
    if (code !== SPACE && code !== TAB && code !== RETURN) return -1
  }
  return text.length + 1
}

/** The line that closes the header which begins at `from`; undefined where the text or the longest header ends before. */
export function findClosing({ text, sought }: Source, from: number): Closing | undefined {
  if (sought.from !== from) {
    sought.from = from
    sought.closing = seekClosing(text, from)
  }
  return sought.closing
}

export function seekClosing(text: string, from: number): Closing | undefined {
  for (let at = text.indexOf('\n---', from - 1); at >= 0; at = text.indexOf('\n---', at + 1)) {
    if (at + 1 - from > BUS_LIMITS.headerBytes) return undefined
    const after = afterRule(text, at + 1)
    if (after > text.length) return { at: at + 1, after: text.length, isEnded: false }
    if (after > 0) return { at: at + 1, after, isEnded: true }
  }
  return undefined
}

/** Where the first line begins that is not blank. */
export function skipBlankLines(text: string, from: number): number {
  let begin = from
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === NEWLINE) begin = at + 1
    else if (code !== SPACE && code !== TAB && code !== RETURN) break
  }
  return begin
}

/** What has to be written before something follows, where the file does not end with a line break. */
export function closingLine({ text }: Source): string | undefined {
  return text.endsWith('\n') ? undefined : '\n'
}
