import type { TestProject } from 'vitest/node'
import { findBinary } from '../helpers/binaries.ts'

/** A `globalSetup` of vitest: where Chromium is; empty where it is not, which `findBinary` has said, or thrown in CI. */
declare module 'vitest' {
  interface ProvidedContext {
    chromium: string
  }
}

export function setup(project: TestProject): void {
  const given = process.env['POSTERN_CHROMIUM']
  project.provide('chromium', given ?? findBinary({ name: 'chromium', debianPackage: 'chromium' }) ?? '')
}
