import { isUtf8 } from 'node:buffer'
import { PosternError } from '../../model/errors.ts'

const MAX_STDIN_BYTES = 1024 * 1024

/** Reads stdin up to just over 1 MiB, more than any message may hold, so that endless input ends in a refusal. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > MAX_STDIN_BYTES) break
  }
  const read = Buffer.concat(chunks)
  // Text that is too long is refused for its length. It may be cut within a character.
  return bytes > MAX_STDIN_BYTES ? read.toString('utf8') : decode(read, 'the standard input')
}

export function decodeFile(bytes: Buffer, path: string): string {
  return decode(bytes, `the file ${path}`)
}

/** Bytes that are not UTF-8 are refused: a decoder would replace them without a word. */
function decode(bytes: Buffer, source: string): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new PosternError('USAGE', {
    message: `The text of ${source} is not UTF-8.`,
    next: 'Convert it, for example with "iconv -t UTF-8". Other files can be attached to a message: postern inbox push --attach.',
  })
}
