import { isAbsolute } from 'node:path'
import { type ConfigSources, isPostgres } from './config.ts'
import { readVariable } from './variables.ts'

/** The working folder, or `/` if it was removed. */
export function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return '/'
  }
}

/** The folder that configured paths are relative to. Throws if it was removed and a configured path is relative. */
export function folderOf({ flags, env }: Omit<ConfigSources, 'cwd'>): string {
  const named = [flags.home, flags.store, readVariable(env, 'home'), readVariable(env, 'store')]
  const isRelative = named.some((path) => path !== undefined && !isAbsolute(path) && !isPostgres(path))
  return isRelative ? process.cwd() : workingFolder()
}
