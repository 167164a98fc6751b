import { createReadStream, statSync } from 'node:fs'
import { fileTrouble } from '../../kit/node/file-trouble.ts'
import { PosternError } from '../../model/errors.ts'

/** How much is taken of a source, and what is said where it holds more. */
export interface Bounds {
  readonly maxBytes: number
  readonly tooLarge: (bytes: number) => PosternError
}

/** Devices and pipes do not tell how much they hold: no more is read than is needed to know that it is too much. */
export async function readAtMost(source: AsyncIterable<unknown>, { maxBytes, tooLarge }: Bounds): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > maxBytes) throw tooLarge(bytes)
  }
  return Buffer.concat(chunks)
}

/** The same of a file that somebody has named. */
export async function readFileAtMost(path: string, bounds: Bounds): Promise<Buffer> {
  try {
    const { size } = statSync(path)
    refuseNamedPipe(path)
    if (size > bounds.maxBytes) throw bounds.tooLarge(size)
    return await readAtMost(createReadStream(path), bounds)
  } catch (error) {
    throw error instanceof PosternError ? error : unreadable(path, error)
  }
}

/**
 * Opening a named pipe blocks until a writer comes, possibly forever. A path that the shell provides,
 * such as `/dev/fd/63` for `<(command)`, already has its writer.
 */
export function refuseNamedPipe(path: string): void {
  if (!statSync(path).isFIFO() || /^\/(?:dev\/(?:fd\/|stdin$)|proc\/)/.test(path)) return
  throw new PosternError('FILE_UNREADABLE', { path, reason: 'it is a named pipe' })
}

/** One MiB is more than any content may have; the exact limit is checked where it is known. */
const MAX_TEXT_BYTES = 1024 * 1024

/** The bytes of a file, as the content of a message. */
export function readContentFile(path: string): Promise<Buffer> {
  const tooLarge = (bytes: number) =>
    new PosternError('CONTENT_TOO_LARGE', { field: 'content', bytes, limit: MAX_TEXT_BYTES })
  return readFileAtMost(path, { maxBytes: MAX_TEXT_BYTES, tooLarge })
}

/** Reads a plain file. A pipe or a device may never end. */
export function requirePlainFile<T>(path: string, read: (path: string) => T): T {
  try {
    if (statSync(path).isFile()) return read(path)
  } catch (error) {
    throw unreadable(path, error)
  }
  throw new PosternError('FILE_UNREADABLE', { path, reason: 'it is not a plain file' })
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  ENOTDIR: 'a part of its path is not a folder',
}

/** Says why a file that a command names cannot be read. */
export function unreadable(path: string, error: unknown): PosternError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  return new PosternError(
    'FILE_UNREADABLE',
    { path, reason: REASONS[code] ?? fileTrouble(error) ?? code },
    { cause: error },
  )
}
