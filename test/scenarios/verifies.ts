import { TestRunner } from 'vitest'
import type { RequirementId } from './requirements.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The promises that a test has proven, if it passes. */
    proves?: string[]
  }
}

/** Says which promises the running test proves. `npm test` fails if no proof of a promise has passed. */
export function verifies(...ids: readonly RequirementId[]): void {
  const test = TestRunner.getCurrentTest()
  if (test === undefined) throw new Error('call verifies() in the body of a test')
  test.meta.proves = [...(test.meta.proves ?? []), ...ids]
}
