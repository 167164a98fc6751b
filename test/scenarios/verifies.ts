import { TestRunner } from 'vitest'
import type { RequirementId } from './requirements.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The promises that a test has proven, if it passes. */
    proves?: string[]
  }
}

/** Says which promises the running test proves. `npm test` fails where a promise has no proof that ran. */
export function verifies(...ids: readonly RequirementId[]): void {
  const test = TestRunner.getCurrentTest()
  if (test === undefined) throw new Error('verifies() belongs into the body of a test')
  test.meta.proves = [...(test.meta.proves ?? []), ...ids]
}
