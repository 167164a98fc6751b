import { sha256Soon } from '../../kit/node/sha256-soon.ts'

/** The line has one place. It covers every other line of its header, also that of a MAC. */
const LINE = /(?<=\n)header_sha256: ([0-9a-f]{64})\n(?=body_bytes: \d+\nsha256: [0-9a-f]{64}\n$)/
/** The same line with any field name of that length, in case the name was damaged. */
const NAMELESS_LINE = /(?<=\n)[^\n]{15}([0-9a-f]{64})\n(?=body_bytes: \d+\nsha256: [0-9a-f]{64}\n$)/
const FRAME = '\nbody_bytes: '

/** A header that ends with the length and the checksum of its body, with its own checksum before them. */
export function withHeaderChecksum(header: string): string {
  const at = header.lastIndexOf(FRAME) + 1
  return `${header.slice(0, at)}header_sha256: ${sha256Soon(header)}\n${header.slice(at)}`
}

export const HEADER_CHECKSUM_BYTES = 'header_sha256: \n'.length + 64

export function withoutHeaderChecksum(header: string): string {
  return header.replace(LINE, '')
}

/**
 * Whether a header matches its checksum. A header that never had a checksum counts as intact.
 * Its text has one character for each byte. An editor may have changed all line breaks on their way.
 */
export function isHeaderIntact(header: string, hasChecksum: boolean): boolean {
  const text = header.includes('\r') ? header.replaceAll('\r\n', '\n') : header
  const line = (hasChecksum ? LINE : NAMELESS_LINE).exec(text)
  if (!line) return !hasChecksum
  const rest = text.slice(0, line.index) + text.slice(line.index + line[0].length)
  // A right checksum under another name shows that its name was changed.
  return (sha256Soon(Buffer.from(rest, 'latin1')) === line[1]) === hasChecksum
}
