import { readFileSync, writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'

/** The results of one vitest run, from which the summary is made. */
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
  /** What the machine lacks to run it, in words. */
  readonly missing: string | null
  /** The promises that it proves. */
  readonly proves: readonly string[]
  readonly errors: readonly string[]
  /** What a person needs to see if it failed. */
  readonly evidence: readonly string[]
}

/** Names the file that the reporter writes. */
const PATH_VARIABLE = 'POSTERN_TEST_REPORT'

export function reportVariable(path: string): Record<string, string> {
  return { [PATH_VARIABLE]: path }
}

/** The report of a run; undefined if the run ended before it wrote one. */
export function readReport(path: string): RunReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunReport
  } catch {
    return undefined
  }
}

/** A vitest reporter that writes the results to a file. vitest requires a class and a default export. */
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

/** The reason may be on the test or on a suite around it. */
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
