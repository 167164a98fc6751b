import { fileTrouble } from '../../kit/node/file-trouble.ts'
import { PosternError } from '../../model/errors.ts'

export function unusable(path: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('HANDOFF_UNUSABLE', { path, reason }, { cause })
}

/** Does something in a folder, and says in our words what the system has against it. */
export function inFolder<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof PosternError) throw error
    const reason = fileTrouble(error)
    throw reason === undefined ? error : unusable(path, reason, error)
  }
}
