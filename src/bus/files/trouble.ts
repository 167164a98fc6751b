import { fileTrouble } from '../../kit/node/file-trouble.ts'
import { PosternError } from '../../model/errors.ts'

export function unusable(path: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('BUS_UNUSABLE', { path, reason }, { cause })
}

/** What the system said of a file, as one of our errors. */
export function troubleWith(path: string, error: unknown): unknown {
  if (error instanceof PosternError) return error
  const reason = fileTrouble(error)
  return reason === undefined ? error : unusable(path, reason, error)
}

/** Does something with a file, and says in our words what the system has against it. */
export function onFile<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw troubleWith(path, error)
  }
}
