import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lazy } from '../../src/kit/pure/lazy.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = join(ROOT, '.cache', 'compiled')

/** A folder for compiled code that all tests of a build share. The first test of another build removes it. */
export const compiledCode = lazy(() => {
  const builtAt = statSync(join(ROOT, 'dist', 'main.cjs'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const folder = join(FOLDER, String(Math.trunc(builtAt)))
  if (existsSync(folder)) return folder
  removeOthers()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
})

function removeOthers(): void {
  try {
    rmSync(FOLDER, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // A process that still uses one has written to it meanwhile.
  }
}

/**
 * Gives a home the compiled code of every other home. A new home has none, so its first commands take twice as long.
 * A home that is missing, or that has a cache already, stays as it is.
 */
export function shareCompiledCode(home: string): void {
  if (!isAbsolute(home)) return
  try {
    symlinkSync(compiledCode(), join(home, 'cache'))
  } catch {
    // The command works without it.
  }
}
