const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
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

/** What the system has against a file, as the end of a sentence; undefined where the error says nothing of a file. */
export function fileTrouble(error: unknown): string | undefined {
  const code = codeOf(error)
  // Those of Node itself, such as ERR_INVALID_ARG_TYPE, say nothing of the file.
  if (code === undefined || !/^E(?!RR_)[A-Z0-9]+$/.test(code)) return undefined
  const reason = REASONS[code]
  return reason === undefined ? code : `${reason} (${code})`
}

export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}
