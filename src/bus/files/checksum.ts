import { fstatSync, read } from 'node:fs'

const CHUNK_BYTES = 1024 * 1024

/** The size and the checksum of an open file, however large; of what was in it at the beginning, if it grows. */
export async function checksumOf(fd: number): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const readPart = process.getBuiltinModule('node:util').promisify(read)
  const { createHash } = process.getBuiltinModule('node:crypto')
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  const { size } = fstatSync(fd)
  let bytes = 0
  while (bytes < size) {
    const { bytesRead } = await readPart(fd, chunk, 0, Math.min(chunk.length, size - bytes), bytes)
    if (bytesRead === 0) break
    hash.update(chunk.subarray(0, bytesRead))
    bytes += bytesRead
  }
  return { bytes, sha256: hash.digest('hex') }
}
