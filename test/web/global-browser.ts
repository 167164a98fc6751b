import type { TestProject } from 'vitest/node'
import { findProgram, lookUpProgram } from '../helpers/binaries.ts'

/**
 * A `globalSetup` of vitest: where Chromium is; empty where it is not, which `findProgram` has said, or thrown in CI.
 * The headless shell is Chromium without windows. A page costs it half as much, so it comes first.
 */
declare module 'vitest' {
  interface ProvidedContext {
    chromium: string
  }
}

export function setup(project: TestProject): void {
  const given = process.env['POSTERN_CHROMIUM']
  project.provide('chromium', given ?? lookUpProgram('chromium-headless-shell') ?? findProgram('chromium') ?? '')
}
