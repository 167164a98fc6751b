import { readFileSync, writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'

/** What one run of vitest did: the summary is made of it. */
export interface RunReport {
  readonly files: readonly FileReport[]
  /** Errors that belong to no test. */
  readonly errors: readonly string[]
}

export interface FileReport {
  readonly layer: string
  readonly file: string
  readonly ms: number
  readonly tests: readonly TestReport[]
  /** Errors while the file was loaded, or in its hooks. */
  readonly errors: readonly string[]
}

export interface TestReport {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly ms: number
  readonly tags: readonly string[]
  /** Why it cannot run on this machine. */
  readonly missing: string | null
  /** The promises that it proves. */
  readonly proves: readonly string[]
  readonly errors: readonly string[]
  /** What a person needs to see where it failed. */
  readonly evidence: readonly string[]
}

/** Where the reporter writes, as `scripts/test.ts` says. */
const PATH_VARIABLE = 'POSTERN_TEST_REPORT'

export function reportVariable(path: string): Record<string, string> {
  return { [PATH_VARIABLE]: path }
}

/** What a run wrote; undefined where it ended before it could. */
export function readReport(path: string): RunReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunReport
  } catch {
    return undefined
  }
}

/** A reporter of vitest that writes the run down. vitest wants a class, and a default export. */
// biome-ignore lint/style/noDefaultExport: vitest loads reporters by their default export
export default class WrittenReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const path = process.env[PATH_VARIABLE]
    if (path === undefined) return
    const report: RunReport = { files: modules.map(describeFile), errors: errors.map(describeError) }
    writeFileSync(path, JSON.stringify(report))
  }
}

function describeFile(module: TestModule): FileReport {
  return {
    layer: module.project.name,
    file: module.relativeModuleId,
    ms: module.diagnostic().duration + module.diagnostic().collectDuration,
    tests: [...module.children.allTests()].map(describeTest),
    errors: [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())].map(
      describeError,
    ),
  }
}

function describeTest(test: TestCase): TestReport {
  const { state, errors = [] } = test.result()
  const { proves = [], evidence = [] } = test.meta()
  return {
    name: test.fullName,
    // A test that was still pending when the run ended has not passed.
    state: state === 'pending' ? 'failed' : state,
    ms: test.diagnostic()?.duration ?? 0,
    tags: test.tags,
    missing: missingOf(test),
    proves,
    errors: errors.map(describeError),
    evidence,
  }
}

/** A suite that cannot run says why for all of its tests. */
function missingOf(test: TestCase): string | null {
  for (let task: TestCase['parent'] | TestCase = test; task.type !== 'module'; task = task.parent) {
    const { missing } = task.meta()
    if (missing !== undefined) return missing
  }
  return null
}

function describeError({ message, stack }: Pick<SerializedError, 'message' | 'stack'>): string {
  return stack?.includes(message) ? stack : `${message}\n${stack ?? ''}`
}
