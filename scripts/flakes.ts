import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { formatDuration } from '../src/kit/pure/duration.ts'
import { ROOT, runQuietly, WORKERS } from './testing/processes.ts'
import { readReport, reportVariable } from './testing/report.ts'
import { appendResult, readResults } from './testing/results.ts'
import { listTestFiles } from './testing/select.ts'
import { TAG_FILTER } from './testing/summary.ts'

/**
 * `npm run test:flakes`: runs the tests again and again, every second time with all cores loaded by something else, and
 * prints how often each failed. One line per run goes to a results file, so the next call continues where this one stopped.
 *
 *   npm run test:flakes -- --minutes 60          stop after an hour
 *   npm run test:flakes -- --results <file>      another results file than .cache/flakes.jsonl
 *   npm run test:flakes -- --table               print the table, run nothing
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    results: { type: 'string', default: join(ROOT, '.cache', 'flakes.jsonl') },
    table: { type: 'boolean', default: false },
  },
})
const RESULTS = resolve(values.results)

interface TestSet {
  readonly name: string
  readonly runs: number
  readonly files: readonly string[]
}

/** Tests that start hosts, hooks, wakers and MCP clients, or that kill processes, depend most on timing. */
const TIMING =
  /^test\/(?:hosts|mcp|faults)\/|^test\/scenarios\/(?:.*\/)?(?:hook|wake|http-hooks|contract)|^test\/scenarios\/mcp\//

const WHOLE: TestSet = { name: 'the whole suite', runs: 10, files: [] }

/** The whole suite contains these tests, so each of its runs is one of theirs. */
const TIMED: TestSet = {
  name: 'hosts, hooks, wake, mcp, faults alone',
  runs: 30 - WHOLE.runs,
  files: listTestFiles(ROOT).filter((file) => TIMING.test(file)),
}

const SETS: readonly TestSet[] = [WHOLE, TIMED]

interface FlakeRun {
  /** The hash of the sources and tests that ran. Results of another tree do not count. */
  readonly tree: string
  readonly set: string
  readonly isLoaded: boolean
  readonly passed: number
  readonly failed: readonly string[]
  readonly ms: number
}

const TESTED = ['src', 'test', 'native', 'web', 'scripts', 'vitest.config.ts', 'package-lock.json']

const tree = hashTree()
const minutes = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes takes a number above 0, not "${values.minutes}"`)
const endsAt = Date.now() + minutes * 60_000
if (!values.table) await runAll()
const runs = runsOfTree()
printTable()
// Runs of no test prove nothing, and neither does a table without runs.
process.exitCode = runs.length === 0 || runs.some(({ passed, failed }) => failed.length > 0 || passed === 0) ? 1 : 0

async function runAll(): Promise<void> {
  const { isFine, output } = await runQuietly(['node', 'scripts/build.mjs'])
  if (!isFine) throw new Error(output)
  for (const set of SETS) {
    for (let done = countOf(set); done < set.runs && Date.now() < endsAt; done++) {
      const run = await runOnce(set, done % 2 === 1)
      appendResult(RESULTS, run)
      const load = run.isLoaded ? 'loaded' : 'idle'
      console.log(
        `${set.name}, run ${done + 1} of ${set.runs}, ${load}: ${run.failed.length} failed, ${formatDuration(run.ms)}`,
      )
      for (const name of run.failed) console.log(`    ${name}`)
    }
  }
}

async function runOnce({ name, files }: TestSet, isLoaded: boolean): Promise<FlakeRun> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-flakes-'))
  const path = join(folder, 'report.json')
  const load = isLoaded ? startLoad() : []
  const begunAt = performance.now()
  try {
    const { isFine, output } = await runQuietly(
      [
        'vitest',
        'run',
        '--reporter=./scripts/testing/report.ts',
        `--tagsFilter=${TAG_FILTER.quick}`,
        `--maxWorkers=${WORKERS}`,
        ...files,
      ],
      { CI: 'true', POSTERN_TIER: 'quick', ...reportVariable(path) },
    )
    const report = readReport(path)
    const tests = report?.files.flatMap(({ file, tests }) => tests.map((test) => ({ ...test, file }))) ?? []
    const broken = [...(report?.errors ?? []), ...(report?.files.flatMap(({ errors }) => errors) ?? [])]
    const failed = tests
      .filter(({ state }) => state === 'failed')
      .map((test) => [`${test.file}: ${test.name}`, ...test.errors, ...test.evidence].join('\n').slice(0, 4_000))
    // vitest may know of a failure that its report does not name.
    if (!isFine && broken.length + failed.length === 0) broken.push(output.slice(-4_000))
    return {
      tree,
      set: name,
      isLoaded,
      passed: tests.filter(({ state }) => state === 'passed').length,
      failed: [...broken, ...failed],
      ms: Math.round(performance.now() - begunAt),
    }
  } finally {
    for (const child of load) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Something else that keeps every core busy. It ends with this process, however that ends. */
function startLoad(): ChildProcess[] {
  const spin = `while (process.ppid === ${process.pid}) Math.random()`
  return Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', spin], { stdio: 'ignore' }),
  )
}

function printTable(): void {
  console.log('\n| tests | load | runs | tests passed | failures | minutes a run |\n|---|---|---|---|---|---|')
  for (const { name } of SETS) {
    for (const isLoaded of [false, true]) {
      const own = runs.filter((run) => run.set === name && run.isLoaded === isLoaded)
      const sum = (value: (run: FlakeRun) => number) => own.reduce((total, run) => total + value(run), 0)
      const minutes = own.length === 0 ? '-' : (sum(({ ms }) => ms) / own.length / 60_000).toFixed(1)
      const failures = sum(({ failed }) => failed.length)
      console.log(
        `| ${name} | ${isLoaded ? 'all cores' : 'none'} | ${own.length} | ${sum(({ passed }) => passed)} | ${failures} | ${minutes} |`,
      )
    }
  }
}

function countOf({ name }: TestSet): number {
  return runsOfTree().filter(({ set }) => set === name).length
}

function runsOfTree(): readonly FlakeRun[] {
  return readResults<FlakeRun>(RESULTS).filter((run) => run.tree === tree)
}

/** Hashes what is committed of the program, its tests and the scripts that run them. Uncommitted changes do not count. */
function hashTree(): string {
  const hashes = execFileSync('git', ['rev-parse', ...TESTED.map((path) => `HEAD:${path}`)], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return hashes
    .split('\n')
    .map((hash) => hash.slice(0, 10))
    .join('')
}
