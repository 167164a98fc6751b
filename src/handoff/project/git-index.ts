/**
 * The index of git: the list of files that git tracks in a working tree. It is parsed here and git is never run. Every
 * length in it is checked, because a repository that somebody handed us may hold any index.
 * Format: https://git-scm.com/docs/index-format, versions 2 to 4.
 */
export interface GitIndex {
  /** The index that this one adds to (a split index); undefined where it stands alone. */
  readonly base: string | undefined
}

const HEADER_BYTES = 12
/** Times, device, inode, mode, owner and size of a file. */
const STAT_BYTES = 40
const FLAG_BYTES = 2
const EXTENDED = 0x4000
const ALIGNMENT = 8
const MAX_NAME_BYTES = 4_096
const EXTENSION_HEADER_BYTES = 8

/**
 * Reads an index and hands every path to `visit`, which must not keep the bytes. Throws where the index is damaged or of
 * an unknown version. Takes time in proportion to its size, whatever it says.
 */
export function readGitIndex(bytes: Buffer, hashBytes: number, visit: (path: Buffer) => void): GitIndex {
  const end = bytes.length - hashBytes
  if (end < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'DIRC') throw damaged()
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) throw new Error(`its version ${version} is not known`)
  const path = Buffer.alloc(MAX_NAME_BYTES)
  let length = 0
  let at = HEADER_BYTES
  for (let count = bytes.readUInt32BE(8); count > 0; count--) {
    const from = at
    at += STAT_BYTES + hashBytes
    if (at + FLAG_BYTES > end) throw damaged()
    at += (bytes.readUInt16BE(at) & EXTENDED) === 0 ? FLAG_BYTES : 2 * FLAG_BYTES
    if (version === 4) {
      const { value, next } = readOffset(bytes, at, end)
      if (value > length) throw damaged()
      length -= value
      at = next
    } else length = 0
    const close = bytes.indexOf(0, at)
    if (close < 0 || close >= end || length + close - at > MAX_NAME_BYTES) throw damaged()
    length += bytes.copy(path, length, at, close)
    visit(path.subarray(0, length))
    at = version === 4 ? close + 1 : from + Math.ceil((close + 1 - from) / ALIGNMENT) * ALIGNMENT
  }
  return { base: baseIn(bytes, at, { end, hashBytes }) }
}

/** How many bytes of the path before are left out, in the form of git's pack files. */
function readOffset(bytes: Buffer, from: number, end: number): { readonly value: number; readonly next: number } {
  let value = 0
  for (let next = from; next < end; next++) {
    const byte = bytes[next] ?? 0
    value = next === from ? byte & 0x7f : (value + 1) * 0x80 + (byte & 0x7f)
    if (value > MAX_NAME_BYTES) break
    if ((byte & 0x80) === 0) return { value, next: next + 1 }
  }
  throw damaged()
}

/** The extension `link` names the shared index by its hash. */
function baseIn(
  bytes: Buffer,
  from: number,
  { end, hashBytes }: { readonly end: number; readonly hashBytes: number },
): string | undefined {
  for (let at = from; at + EXTENSION_HEADER_BYTES <= end; ) {
    const begin = at + EXTENSION_HEADER_BYTES
    const size = bytes.readUInt32BE(at + 4)
    if (begin + size > end) throw damaged()
    if (bytes.toString('latin1', at, at + 4) === 'link') {
      if (size < hashBytes) throw damaged()
      const base = bytes.toString('hex', begin, begin + hashBytes)
      return /^0+$/.test(base) ? undefined : base
    }
    at = begin + size
  }
  return undefined
}

function damaged(): Error {
  return new Error('it is damaged')
}
