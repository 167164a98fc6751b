import { PosternError } from '../../model/errors.ts'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'it may not be read or written',
  EPERM: 'it may not be read or written',
  EROFS: 'its file system is read-only',
  ELOOP: 'it is a link',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  ENXIO: 'it is no plain file',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
  EIO: 'the disk fails',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'its path is too long',
}

export function unusable(path: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('BUS_UNUSABLE', { path, reason }, { cause })
}

/** What the system said of a file, as one of our errors. */
export function troubleWith(path: string, error: unknown): unknown {
  if (error instanceof PosternError) return error
  const code = codeOf(error)
  // Those of Node itself, such as ERR_INVALID_ARG_TYPE, say nothing of the file.
  if (code === undefined || !/^E(?!RR_)[A-Z0-9]+$/.test(code)) return error
  const reason = REASONS[code]
  return unusable(path, reason === undefined ? code : `${reason} (${code})`, error)
}

/** Does something with a file, and says in our words what the system has against it. */
export function onFile<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw troubleWith(path, error)
  }
}

export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}
