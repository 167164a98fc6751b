import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of its own for the test that runs now; it is removed when the test has finished. */
export function temporaryFolder(): string {
  const folder = makeTemporaryFolder()
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** A folder that the caller removes: for suites and servers, which outlive a test. */
export function makeTemporaryFolder(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), 'postern-test-'))
}

/** The same in memory where the machine has such a place: for tests to whom the speed of a disk means nothing. */
export function makeFastFolder(): string {
  return existsSync('/dev/shm') ? mkdtempSync(join('/dev/shm', 'postern-test-')) : makeTemporaryFolder()
}

/** For the test that runs now, and removed when it has finished. */
export function fastFolder(): string {
  const folder = makeFastFolder()
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** Tries again while processes that were just killed still write. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
}
