import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatDuration } from '../src/kit/pure/duration.ts'

/**
 * What `npm test` runs: everything, in the order in which a fault is found soonest, up to the first step that fails.
 * The last line is `N passed, N failed` and nothing else, for those who count.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BIN = join(ROOT, 'node_modules', '.bin')
const PROJECTS = ['house', 'unit', 'conformance', 'scenarios', 'web', 'faults', 'hiero', 'mcp', 'hosts'] as const

/** Layers whose tests hold though others take their turns: two files at a time fill two cores. */
const SIDE_BY_SIDE: readonly string[] = ['unit', 'conformance', 'scenarios']

interface Step {
  readonly name: string
  readonly command: readonly string[]
  /** Where vitest puts its figures. */
  readonly report?: string
}

interface Tally {
  readonly passed: number
  readonly failed: number
}

const isLong = process.argv.includes('--long')
const folder = mkdtempSync(join(tmpdir(), 'postern-report-'))
try {
  process.exitCode = await runAll(stepsOf(folder))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function stepsOf(reports: string): Step[] {
  return [
    { name: 'typecheck', command: ['tsc', '-p', 'tsconfig.json', '--noEmit'] },
    { name: 'typecheck web', command: ['tsc', '-p', 'web/tsconfig.json', '--noEmit'] },
    { name: 'lint', command: ['biome', 'check', '.'] },
    { name: 'build', command: ['node', 'scripts/build.mjs'] },
    ...PROJECTS.filter(hasTests).map((name) => vitestStep(name, join(reports, `${name}.json`))),
  ]
}

/** A layer that has no tests yet is no failure; one whose tests vitest does not find is. */
function hasTests(project: (typeof PROJECTS)[number]): boolean {
  const home = project === 'unit' ? 'src' : `test/${project}`
  return globSync(`${home}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] }).length > 0
}

function vitestStep(name: string, report: string): Step {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const workers = SIDE_BY_SIDE.includes(name) ? ['--maxWorkers=2'] : []
  return { name, report, command: ['vitest', 'run', '--project', name, ...workers, ...reporters] }
}

async function runAll(steps: readonly Step[]): Promise<number> {
  const startedAt = performance.now()
  const lines: string[] = []
  let [passed, failed] = [0, 0]
  for (const step of steps) {
    console.log(`\n── ${step.name}`)
    const stepStartedAt = performance.now()
    const isFine = await run(step.command)
    const tally = tallyOf(step, isFine)
    passed += tally.passed
    failed += tally.failed
    const took = formatDuration(performance.now() - stepStartedAt)
    lines.push(`${isFine ? 'ok    ' : 'FAILED'} ${step.name.padEnd(12)} ${took.padStart(8)}`)
    if (!isFine) break
  }
  const end = failed > 0 ? 'stopped at the first step that failed' : 'all steps passed'
  console.log(`\n${lines.join('\n')}\n${end}, after ${formatDuration(performance.now() - startedAt)}`)
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

async function run([command = '', ...args]: readonly string[]): Promise<boolean> {
  const env = {
    ...process.env,
    PATH: `${BIN}${delimiter}${process.env.PATH ?? ''}`,
    ...(isLong ? { POSTERN_LONG: '1' } : {}),
  }
  const child = spawn(command, args, { cwd: ROOT, env, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** A step that fails counts as a failure even where no test did: a file that cannot be loaded has no tests. */
function tallyOf({ report }: Step, isFine: boolean): Tally {
  const { numPassedTests = 0, numFailedTests = 0 } = report === undefined ? {} : readReport(report)
  return { passed: numPassedTests, failed: isFine ? numFailedTests : Math.max(1, numFailedTests) }
}

function readReport(path: string): { numPassedTests?: number; numFailedTests?: number } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
