import { lstatSync, readFileSync } from 'node:fs'
import { PosternError } from '../../model/errors.ts'

/** No key is longer, not even one in PEM with all that may stand around it. */
const MAX_BYTES = 8 * 1024

/** A private key, only from a file of our own that nobody else can read or write. What it holds is never told. */
export function readKeyFile(path: string): string {
  const invalid = (reason: string) => new PosternError('LEDGER_KEY_INVALID', { reason: `${path} ${reason}` })
  const stat = statOf(path, invalid)
  if (!stat) throw invalid('is not there')
  if (!stat.isFile()) throw invalid('is not a file')
  if (stat.uid !== (process.getuid?.() ?? stat.uid)) throw invalid('is not a file of yours')
  if ((stat.mode & 0o077) !== 0) throw invalid('can be read or written by others ("chmod 600" mends it)')
  if (stat.size > MAX_BYTES) throw invalid('is too large for a key')
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw invalid(unreadable(error))
  }
}

function statOf(path: string, invalid: (reason: string) => PosternError) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw invalid(unreadable(error))
  }
}

function unreadable(error: unknown): string {
  return `cannot be read (${(error as NodeJS.ErrnoException).code})`
}
