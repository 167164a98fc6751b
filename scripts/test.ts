import { formatDuration } from '../src/kit/pure/duration.ts'
import { prepareMachine } from '../test/helpers/prepare.ts'
import type { Tier } from '../test/helpers/tier.ts'
import { readClaims } from '../test/scenarios/claims.ts'
import { runCampaigns } from './testing/campaigns.ts'
import { CHECK_WORKERS, ROOT, runQuietly, WORKERS } from './testing/processes.ts'
import { runVitest } from './testing/run-vitest.ts'
import { selectBySubject } from './testing/select.ts'
import { failIfEmpty, type Summary, summarise } from './testing/summary.ts'

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
}
const BUILD: typeof CHECKS = { build: ['node', 'scripts/build.mjs'] }
/** The declaration files take as long as everything else, and no house or unit test reads them. */
const BUILD_UNTYPED: typeof CHECKS = { build: ['node', 'scripts/build.mjs', '--no-types'] }

const OPTIONS: readonly string[] = ['--check', '--full', '--long']

const isCi = process.env['CI'] === 'true'
const startedAt = performance.now()
const { passed, failed } = failIfEmpty(await main(process.argv.slice(2)))
console.log(`${failed > 0 ? 'FAILED' : 'all passed'} after ${since(startedAt)}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function main(args: readonly string[]): Promise<Pick<Summary, 'passed' | 'failed'>> {
  const unknown = args.find((arg) => arg.startsWith('-') && !OPTIONS.includes(arg))
  if (unknown !== undefined) {
    console.log(`there is no option ${unknown}: it may be ${OPTIONS.join(', ')}`)
    return { passed: 0, failed: 1 }
  }
  const subjects = args.filter((arg) => !arg.startsWith('--'))
  const isCheck = args.includes('--check')
  const tier: Tier = args.includes('--long') ? 'long' : args.includes('--full') ? 'full' : 'quick'
  if (!isCheck) await prepare()
  const first = isCheck ? BUILD_UNTYPED : tier === 'quick' ? { ...CHECKS, ...BUILD } : BUILD
  const broken = await runChecks(first)
  if (broken > 0) return { passed: 0, failed: broken }
  if (tier === 'long') return runCampaigns(subjects, isCi)
  const files = subjects.length === 0 ? [] : selectBySubject(ROOT, subjects)
  if (subjects.length > 0 && files.length === 0) {
    console.log(`no test file concerns ${subjects.join(', ')}`)
    return { passed: 0, failed: 1 }
  }
  if (!isCheck) return runTests(tier, [`--maxWorkers=${WORKERS}`, ...files], files.length > 0)
  // Many tests run what was built. The other checks need not come first, and the tests leave gaps for them.
  const [summary, failed] = await Promise.all([
    runTests(tier, [`--maxWorkers=${CHECK_WORKERS}`, '--project', 'house', '--project', 'unit', ...files], true),
    runChecks(CHECKS),
  ])
  return { ...summary, failed: summary.failed + failed }
}

/** Downloads and installs what is missing before the tests, and reports the time separately. */
async function prepare(): Promise<void> {
  const begunAt = performance.now()
  const missing = await prepareMachine()
  for (const what of missing) console.log(`*** missing: ${what}`)
  const state = missing.length === 0 ? 'is ready' : 'lacks something'
  console.log(`the machine ${state} after ${since(begunAt)} (downloads and installs, timed separately)`)
}

/** Runs the static checks side by side, and prints the output of those that fail. Returns how many failed. */
async function runChecks(checks: typeof CHECKS): Promise<number> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, command]) => {
      const begunAt = performance.now()
      const { isFine, output } = await runQuietly(command)
      console.log(`${isFine ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${since(begunAt).padStart(8)}`)
      if (!isFine) console.log(output)
      return isFine
    }),
  )
  return outcomes.filter((isFine) => !isFine).length
}

async function runTests(tier: Tier, words: readonly string[], isPartial: boolean): Promise<Summary> {
  const begunAt = performance.now()
  const { isFine, report } = await runVitest(tier, words)
  const summary = summarise(report, { tier, isCi, claims: isPartial ? undefined : readClaims() })
  console.log(`\n${summary.lines.join('\n')}\ntests took ${since(begunAt)}`)
  return isFine ? summary : { ...summary, failed: Math.max(1, summary.failed) }
}

function since(begunAt: number): string {
  return formatDuration(performance.now() - begunAt)
}
