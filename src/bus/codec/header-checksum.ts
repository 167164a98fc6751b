import { sha256Soon } from '../../kit/node/sha256-soon.ts'

/** The line has one place. It covers every other line of its header, also that of a MAC. */
const LINE = /(?<=\n)header_sha256: ([0-9a-f]{64})\n(?=body_bytes: \d+\nsha256: [0-9a-f]{64}\n$)/
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
 * Whether a header that has a checksum is the one that was written. Its text has one character for each byte. An editor may
 * have changed all line breaks on their way.
 */
export function isHeaderIntact(header: string): boolean {
  const text = header.includes('\r') ? header.replaceAll('\r\n', '\n') : header
  const [, checksum] = LINE.exec(text) ?? []
  return checksum !== undefined && sha256Soon(Buffer.from(withoutHeaderChecksum(text), 'latin1')) === checksum
}
