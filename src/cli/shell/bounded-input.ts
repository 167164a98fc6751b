import { createReadStream, statSync } from 'node:fs'
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
    if (size > bounds.maxBytes) throw bounds.tooLarge(size)
    return await readAtMost(createReadStream(path), bounds)
  } catch (error) {
    if (error instanceof PosternError) throw error
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    const next = `It cannot be read (${reason}); check its path.`
    throw new PosternError('VALUE_INVALID', { field: 'file', value: path, next }, { cause: error })
  }
}
