import type { TestProject } from 'vitest/node'
import { findProgram, lookUpProgram } from '../helpers/binaries.ts'

/**
 * A `globalSetup` of vitest: provides the path of Chromium. The path is empty if there is none; in CI `findProgram` throws.
 * The headless shell is Chromium without windows. It needs half the time for a page, so it comes first.
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
