import { BUS_LIMITS } from '../../../model/bus/entry.ts'
import { afterRule, findClosing, type Source } from './source.ts'

/** A line that no YAML map has: by it the header of a writer that died is closed, so that every reader refuses it. */
export const CUT_OFF = '@ cut off'

const ID_LINE = /(?:^|\n)(?:msg_id|"msg_id"|'msg_id') ?:(?:[ \t]|\r?\n|$)/
/** All of it on one line, as JSON has it. */
const FLOW = /^\s*\{/
const FIRST_WORD = 'msg_id:'

export interface Begin {
  readonly at: number
  /** False where it depends on what follows the piece, or where nothing begins before the end of the last one. */
  readonly isSure: boolean
}

/** The next place, from the beginning of a line on, where an entry begins, or may once there are more bytes. */
export function seekEntry(source: Source, from: number): Begin {
  const { text, isLast } = source
  for (let at = nextRule(text, from); at >= 0; at = nextRule(text, at + 1)) {
    const begins = beginsEntry(source, at)
    if (begins !== 'no') return { at, isSure: begins === 'yes' }
  }
  return { at: isLast ? text.length : Math.max(from, text.lastIndexOf('\n') + 1), isSure: false }
}

/** The next line, at `from` or after it, that begins with three dashes. */
export function nextRule(text: string, from: number): number {
  const isBegin = from === 0 || text.charCodeAt(from - 1) === 0x0a
  if (isBegin && text.startsWith('---', from)) return from
  return text.indexOf('\n---', from) + 1 || -1
}

/** Whether the line at `at` is `---` and a header follows it, whole or not: a rule in a text of Markdown is none. */
export function beginsEntry(source: Source, at: number): 'yes' | 'no' | 'maybe' {
  const { text, isLast } = source
  const from = afterRule(text, at)
  if (from < 0) return 'no'
  const closing = findClosing(source, from)
  const limit = from + BUS_LIMITS.headerBytes
  const header = text.slice(from, closing?.at ?? limit)
  if (closing?.isEnded) return isHeader(header) ? 'yes' : 'no'
  if (closing === undefined && limit < text.length) return ID_LINE.test(header) ? 'yes' : 'no'
  if (!isLast) return 'maybe'
  return ID_LINE.test(header) || FIRST_WORD.startsWith(header) ? 'yes' : 'no'
}

function isHeader(header: string): boolean {
  return (
    header.startsWith(`${FIRST_WORD} `) ||
    ID_LINE.test(header) ||
    isCutOff(header) ||
    (FLOW.test(header) && header.includes('msg_id'))
  )
}

export function isCutOff(header: string): boolean {
  return header.endsWith(`${CUT_OFF}\n`) || header.endsWith(`${CUT_OFF}\r\n`)
}
