import { isUtf8 } from 'node:buffer'
import { sha256Soon } from '../../../kit/node/sha256-soon.ts'
import { unescapeBody } from '../dashes.ts'
import type { Source } from './source.ts'

/** What a body says: text, or bytes where no text can hold it. */
export type Said = string | Buffer

/** Where the line after a body of ours begins; or that the piece ends before, or that no line ends there. */
export function afterBody({ bytes, isLast }: Source, end: number): number | 'short' | 'wrong' {
  if (end >= bytes.length) return end === bytes.length && isLast ? end : 'short'
  if (bytes[end] === NEWLINE) return end + 1
  if (bytes[end] !== RETURN) return 'wrong'
  if (end + 1 === bytes.length && !isLast) return 'short'
  return bytes[end + 1] === NEWLINE ? end + 2 : 'wrong'
}

const NEWLINE = 0x0a
const RETURN = 0x0d

/** The body between two places, where it has this checksum. */
export function readChecked(source: Source, from: number, to: number, wanted: string): Said | undefined {
  const stored = readBody(source, from, to)
  if (sha256Soon(stored) === wanted) return stored
  return stored.includes('---') ? checkUnescaped(source.bytes.subarray(from, to), wanted) : undefined
}

/** Others may write a checksum and escape nothing: whichever of both readings has it is what was said. */
function checkUnescaped(stored: Buffer, wanted: string): Said | undefined {
  const said = unescapeBody(stored)
  return said !== stored && sha256Soon(said) === wanted ? saidBy(said) : undefined
}

export function readBody({ bytes, text, isAscii }: Source, from: number, to: number): Said {
  if (isAscii) return text.slice(from, to)
  const said = bytes.toString('utf8', from, to)
  return said.includes(UNREADABLE) ? saidBy(bytes.subarray(from, to)) : said
}

function saidBy(bytes: Buffer): Said {
  return isUtf8(bytes) ? bytes.toString() : bytes
}

const UNREADABLE = '\ufffd'

/** A body whose line breaks an editor has changed on their way. */
export function readConverted(stored: Buffer, bodyBytes: number, wanted: string): Said | undefined {
  const text = stored.toString('latin1').replaceAll('\r\n', '\n')
  const body = Buffer.from(text.endsWith('\n') ? text.slice(0, -1) : text, 'latin1')
  if (body.length !== bodyBytes) return undefined
  return sha256Soon(body) === wanted ? saidBy(body) : checkUnescaped(body, wanted)
}
