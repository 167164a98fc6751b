import { BUS_LIMITS } from '../../../model/bus/entry.ts'
import { beginsEntry, nextRule } from './begin.ts'
import { afterBody, readChecked } from './frame.ts'
import { afterRule, createSource, type Source, seekClosing } from './source.ts'

/**
 * The next place in bytes from the middle of a file, at `from` or after it, at which an entry surely begins; -1 where there
 * is none. Where `from` is 0 the bytes begin with a line; where they may not, pass 1 and one byte more.
 */
export function findEntry(bytes: Buffer, from: number): number {
  const source = createSource({ bytes, offset: 0, isLast: false })
  for (let at = nextRule(source.text, from); at >= 0; ) {
    const end = closedBodyEnd(source, at)
    if (end === undefined && beginsEntry(source, at) === 'yes') return at
    at = nextRule(source.text, end ?? at + 1)
  }
  return -1
}

const OUR_END = /(?:^|\n)body_bytes: ([0-9]{1,16})\r?\nsha256: ([0-9a-f]{64})\r?\n$/
const OUR_END_BYTES = 120

/**
 * A rule found from the middle may also end a header, whose body may look like another one. That of an entry of ours is
 * known by its checksum, which nobody who writes a body can have right for what follows the body.
 */
function closedBodyEnd(source: Source, at: number): number | undefined {
  const [, size, sha256 = ''] = OUR_END.exec(source.text.slice(Math.max(0, at - OUR_END_BYTES), at)) ?? []
  if (size === undefined) return undefined
  const from = afterRule(source.text, at)
  const end = from + Number(size)
  const after = afterBody(source, end)
  return typeof after === 'number' && readChecked(source, from, end, sha256) !== undefined ? after : undefined
}

const ID =
  /(?:^|\n)(?:msg_id|"msg_id"|'msg_id')[ \t]*:[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)'|([^\s"'][^\n]*?))[ \t\r]*(?:\n|$)/
const RULE_BYTES = 16

/**
 * The id of the entry that begins at `start`, without a look at the rest of it. Undefined also where the bytes show that
 * what begins there is a body of ours.
 */
export function idAt(bytes: Buffer, start: number): string | undefined {
  const text = bytes.toString('latin1', start, start + RULE_BYTES + BUS_LIMITS.headerBytes)
  const from = afterRule(text, 0)
  if (from < 0 || isBody(bytes, start)) return undefined
  const [, double, single, plain] = ID.exec(text.slice(from, seekClosing(text, from)?.at)) ?? []
  // What follows a plain one behind such a sign is a comment.
  return double ?? single ?? plain?.split(/[ \t]#/, 1)[0]?.trimEnd()
}

function isBody(bytes: Buffer, start: number): boolean {
  const before = Math.max(0, start - OUR_END_BYTES)
  if (!OUR_END.test(bytes.toString('latin1', before, start))) return false
  const source = createSource({ bytes: bytes.subarray(before), offset: before, isLast: true })
  return closedBodyEnd(source, start - before) !== undefined
}
