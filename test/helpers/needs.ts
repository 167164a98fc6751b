import { execFileSync } from 'node:child_process'
import type { TestOptions } from 'vitest'
import { describeProgram, findProgram, type ProgramName } from './binaries.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test cannot run on this machine. The summary prints it, and CI fails. */
    missing?: string
  }
}

/**
 * Options for a test or a suite that this machine may not be able to run. A skip always has its reason.
 *
 *   describe('the Redis wire', needs(redis ? undefined : 'redis-server'), () => …)
 */
export function needs(missing: string | undefined): TestOptions {
  return missing === undefined ? {} : { skip: true, meta: { missing } }
}

/** For tests that start programs which this machine may neither have nor be able to install. */
export function needsPrograms(...names: readonly ProgramName[]): TestOptions {
  return needs(missingPrograms(...names))
}

/** What is missing of these programs, in words. */
export function missingPrograms(...names: readonly ProgramName[]): string | undefined {
  const missing = names.filter((name) => findProgram(name) === undefined)
  return missing.length === 0 ? undefined : missing.map(describeProgram).join(', ')
}

/** For tests on the PostgreSQL that `global-postgres.ts` provides. Its URL is empty where there is none. */
export function needsPostgres(url: string | undefined): TestOptions {
  return needs(url ? undefined : describeProgram('initdb'))
}

/** For tests of something that only Linux has. */
export const NEEDS_LINUX: TestOptions = needs(process.platform === 'linux' ? undefined : 'Linux')

/** Root does what file modes forbid to everybody else. */
export const isRoot = process.getuid?.() === 0

/** For tests that change owners, mount file systems or become another user. */
export const NEEDS_ROOT: TestOptions = needs(isRoot ? undefined : 'root')

const NOBODY = 65_534

/** Runs a call without the rights of root, so that file modes count. A process that is not root just runs it. */
export async function withoutRoot<T>(call: () => T | Promise<T>): Promise<T> {
  if (!isRoot) return call()
  process.setegid?.(NOBODY)
  process.seteuid?.(NOBODY)
  try {
    return await call()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

/** Lets the user of `withoutRoot` read a folder of the tests. */
export function letOthersRead(folder: string): void {
  execFileSync('chmod', ['-R', 'a+rX', folder])
}

/** Words before a command that take away what root may do, so that file modes count. The command keeps its user. */
export const WITHOUT_ROOT: readonly string[] = isRoot
  ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search']
  : []
