import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { storeError } from './errors.ts'

/** The file that processes share while they have the store open. */
const SHARED_MEMORY_BYTES = 32 * 1024

const FILE_ERRORS: Readonly<Record<string, 'STORE_READ_ONLY' | 'STORE_FULL'>> = {
  EACCES: 'STORE_READ_ONLY',
  EPERM: 'STORE_READ_ONLY',
  EROFS: 'STORE_READ_ONLY',
  ENOSPC: 'STORE_FULL',
  EDQUOT: 'STORE_FULL',
}

/** Why the store's file or folder cannot be made or looked at. */
export function fileError(error: unknown, path: string): unknown {
  if (error instanceof PosternError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  const known = FILE_ERRORS[code] ?? 'STORE_UNAVAILABLE'
  return new PosternError(known, { path, reason: whyNot(dirname(path), code || message) }, { cause: error })
}

/** A folder that is missing must be created first, so its parent is to blame. */
function whyNot(folder: string, reason: string): string {
  return existsSync(folder) ? reason : `its folder ${folder} does not exist and cannot be created (${reason})`
}

/** Why SQLite cannot open it. */
export function openError(error: unknown, path: string): unknown {
  const translated = storeError(error, path)
  if (!(translated instanceof PosternError)) return fileError(error, path)
  const isVague = translated.code === 'STORE_UNAVAILABLE' || translated.code === 'STORE_IO'
  const known = isVague ? folderError(dirname(path)) : undefined
  return known ? new PosternError(known, { path, reason: reasonOf(error) }, { cause: error }) : translated
}

/** Why no file can be made beside the store: SQLite, which needs one to open it at all, says only that it failed. */
function folderError(folder: string): 'STORE_READ_ONLY' | 'STORE_FULL' | undefined {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < SHARED_MEMORY_BYTES ? 'STORE_FULL' : undefined
  } catch (error) {
    return FILE_ERRORS[(error as NodeJS.ErrnoException).code ?? '']
  }
}
