import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { addEvidence, describeFolder, hasFailed } from './evidence.ts'

/** A folder for the running test. It is removed when the test has passed, and kept as evidence when it has failed. */
export function temporaryFolder(): string {
  return removeUnlessFailed(makeTemporaryFolder())
}

/** Removes a folder when the running test has passed. When the test has failed, the summary says what is in it. */
export function removeUnlessFailed(folder: string): string {
  onTestFinished(async (finished) => {
    if (hasFailed(finished)) await addEvidence(finished, () => describeFolder(folder))
    else removeFolder(folder)
  })
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

/** A folder in memory for the running test. */
export function fastFolder(): string {
  return removeUnlessFailed(makeFastFolder())
}

/** Tries again while processes that were just killed still write. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
}
