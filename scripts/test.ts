import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatDuration } from '../src/kit/pure/duration.ts'
import { prepareMachine } from '../test/helpers/prepare.ts'
import type { Tier } from '../test/helpers/tier.ts'
import { readClaims } from '../test/scenarios/claims.ts'
import { runCampaigns } from './testing/campaigns.ts'
import { ROOT, run, runQuietly, WORKERS } from './testing/processes.ts'
import { readReport, reportVariable } from './testing/report.ts'
import { selectBySubject } from './testing/select.ts'
import { type Summary, summarise, TAG_FILTER } from './testing/summary.ts'

/**
 * `npm test`: the static checks, then every layer side by side, with at least one proof of each promise.
 * `npm test -- inbox gates`: only the test files that concern these subjects.
 * `npm run test:full`: the tests that `npm test` leaves out, and the campaigns with more repetitions.
 * `npm run test:long`: every campaign file by itself, up to an hour per campaign; continues where it was stopped.
 * `npm run check`: the static checks, the house and the unit tests.
 *
 * The last line is `N passed, N failed` and nothing else, for programs that count.
 */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  typecheck: ['tsc', '-p', 'tsconfig.json', '--noEmit'],
  'typecheck web': ['tsc', '-p', 'web/tsconfig.json', '--noEmit'],
  lint: ['biome', 'check', '.'],
  build: ['node', 'scripts/build.mjs'],
}

const isCi = process.env['CI'] === 'true'
const startedAt = performance.now()
const { passed, failed } = await main(process.argv.slice(2))
console.log(`${failed > 0 ? 'FAILED' : 'all passed'} after ${since(startedAt)}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function main(args: readonly string[]): Promise<Pick<Summary, 'passed' | 'failed'>> {
  const subjects = args.filter((arg) => !arg.startsWith('--'))
  const isCheck = args.includes('--check')
  const tier: Tier = args.includes('--long') ? 'long' : args.includes('--full') ? 'full' : 'quick'
  if (!isCheck) await prepare()
  const broken = await runChecks(tier === 'quick' ? Object.keys(CHECKS) : ['build'])
  if (broken > 0) return { passed: 0, failed: broken }
  if (tier === 'long') return runCampaigns(subjects)
  const files = subjects.length === 0 ? [] : selectBySubject(ROOT, subjects)
  if (subjects.length > 0 && files.length === 0) {
    console.log(`no test file concerns ${subjects.join(', ')}`)
    return { passed: 0, failed: 1 }
  }
  const projects = isCheck ? ['--project', 'house', '--project', 'unit'] : []
  return runTests(tier, [...projects, ...files], isCheck || files.length > 0)
}

/** Downloads and installs what is missing before the tests, and reports the time separately. */
async function prepare(): Promise<void> {
  const begunAt = performance.now()
  const missing = await prepareMachine()
  for (const what of missing) console.log(`*** missing: ${what}`)
  console.log(`the machine is ready after ${since(begunAt)} (downloads and installs, timed separately)`)
}

/** Runs the static checks side by side, and prints the output of those that fail. Returns how many failed. */
async function runChecks(names: readonly string[]): Promise<number> {
  const outcomes = await Promise.all(
    names.map(async (name) => {
      const begunAt = performance.now()
      const { isFine, output } = await runQuietly(CHECKS[name] ?? [])
      console.log(`${isFine ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${since(begunAt).padStart(8)}`)
      if (!isFine) console.log(output)
      return isFine
    }),
  )
  return outcomes.filter((isFine) => !isFine).length
}

async function runTests(tier: Tier, words: readonly string[], isPartial: boolean): Promise<Summary> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-report-'))
  const path = join(folder, 'report.json')
  const begunAt = performance.now()
  try {
    const reporters = ['--reporter=default', '--reporter=./scripts/testing/report.ts']
    const tags = `--tagsFilter=${TAG_FILTER[tier]}`
    const isFine = await run(['vitest', 'run', ...reporters, tags, `--maxWorkers=${WORKERS}`, ...words], {
      POSTERN_TIER: tier,
      ...reportVariable(path),
    })
    const report = readReport(path) ?? { files: [], errors: ['vitest wrote no report'] }
    const summary = summarise(report, { tier, isCi, claims: isPartial ? undefined : readClaims() })
    console.log(`\n${summary.lines.join('\n')}\ntests took ${since(begunAt)}`)
    // vitest may know of a failure that its report does not name.
    return isFine ? summary : { ...summary, failed: Math.max(1, summary.failed) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function since(begunAt: number): string {
  return formatDuration(performance.now() - begunAt)
}
