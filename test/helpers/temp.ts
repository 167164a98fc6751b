import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
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

/** Tries again while processes that were just killed still write. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
}
