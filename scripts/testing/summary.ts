import { formatDuration } from '../../src/kit/pure/duration.ts'
import type { Tier } from '../../test/helpers/tier.ts'
import type { Claim } from '../../test/scenarios/claims.ts'
import type { FileReport, RunReport, TestReport } from './report.ts'

/** Whether a tier leaves a test with these tags to another tier. */
const ELSEWHERE: Readonly<Record<Tier, (tags: readonly string[]) => boolean>> = {
  quick: (tags) => tags.includes('full') || tags.includes('long'),
  full: (tags) => !(tags.includes('full') || tags.includes('campaign')),
  long: (tags) => !(tags.includes('campaign') || tags.includes('long')),
}

/** The tests that a tier runs, as vitest's tag filter: the opposite of `ELSEWHERE`. */
export const TAG_FILTER: Readonly<Record<Tier, string>> = {
  quick: '!full && !long',
  full: 'full || campaign',
  long: 'campaign || long',
}

export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly lines: readonly string[]
}

export interface SummaryOptions {
  readonly tier: Tier
  /** In CI a skipped test counts as a failure. */
  readonly isCi: boolean
  /** Every claim in the sources; undefined if only some files ran. */
  readonly claims: readonly Claim[] | undefined
}

const MOST_SLOW_FILES = 12

/** Counts the tests of a run and writes the lines that a person reads. */
export function summarise(report: RunReport, { tier, isCi, claims }: SummaryOptions): Summary {
  const tests = report.files.flatMap((file) => file.tests.map((test) => ({ ...test, file: file.file })))
  const here = tests.filter(({ tags }) => !ELSEWHERE[tier](tags))
  const failed = here.filter(({ state }) => state === 'failed')
  const skipped = here.filter(({ state }) => state === 'skipped')
  const broken = [...report.errors, ...report.files.flatMap(({ file, errors }) => errors.map((e) => `${file}: ${e}`))]
  const unproven = claims === undefined || tier !== 'quick' ? [] : listUnproven(claims, here)
  return {
    passed: here.filter(({ state }) => state === 'passed').length,
    failed: failed.length + broken.length + unproven.length + (isCi ? skipped.length : 0),
    lines: [
      ...formatLayers(report.files, tier),
      ...formatSlowest(report.files),
      ...(claims === undefined || tier !== 'quick' ? [] : formatProofsElsewhere(claims, here)),
      ...skipped.map(({ file, name, missing }) => `skipped: ${file}: ${name} (needs ${missing ?? 'a reason'})`),
      ...unproven.map((id) => `FAILED: nothing in npm test proves ${id}`),
      ...broken.map((error) => `FAILED: ${error}`),
      ...failed.flatMap(formatFailure),
    ],
  }
}

/** A run of no test proves nothing: all were skipped, or belong to another tier. */
export function failIfEmpty(counts: Pick<Summary, 'passed' | 'failed'>): Pick<Summary, 'passed' | 'failed'> {
  if (counts.passed + counts.failed > 0) return counts
  console.log('no test ran')
  return { passed: 0, failed: 1 }
}

function listUnproven(claims: readonly Claim[], tests: readonly TestReport[]): readonly string[] {
  const proven = new Set(tests.filter(({ state }) => state === 'passed').flatMap(({ proves }) => proves))
  return [...new Set(claims.map(({ id }) => id))].filter((id) => !proven.has(id))
}

/** Proofs that `npm test` leaves to `test:full`. Another test has proven the same requirements in this run. */
function formatProofsElsewhere(
  claims: readonly Claim[],
  tests: readonly (TestReport & { readonly file: string })[],
): readonly string[] {
  const ran = new Set(tests.flatMap(({ file, proves }) => proves.map((id) => `${file} ${id}`)))
  const left = new Map<string, Set<string>>()
  for (const { file, id } of claims) {
    if (ran.has(`${file} ${id}`)) continue
    left.set(file, (left.get(file) ?? new Set()).add(id))
  }
  if (left.size === 0) return []
  const lines = [...left].map(([file, ids]) => `  ${file}: ${[...ids].join(', ')}`)
  return ['proofs that run only in npm run test:full:', ...lines, '']
}

function formatLayers(files: readonly FileReport[], tier: Tier): readonly string[] {
  const layers = [...new Set(files.map(({ layer }) => layer))].sort()
  return layers.map((layer) => {
    const own = files.filter((file) => file.layer === layer)
    const tests = own.flatMap((file) => file.tests).filter(({ tags }) => !ELSEWHERE[tier](tags))
    const ms = own.reduce((sum, file) => sum + file.ms, 0)
    const isFine = tests.every(({ state }) => state !== 'failed') && own.every(({ errors }) => errors.length === 0)
    const counts = `${own.length} files, ${tests.length} tests`
    return `${isFine ? 'ok    ' : 'FAILED'} ${layer.padEnd(12)} ${formatDuration(ms).padStart(8)} of file time   ${counts}`
  })
}

function formatSlowest(files: readonly FileReport[]): readonly string[] {
  const slowest = [...files].sort((a, b) => b.ms - a.ms).slice(0, MOST_SLOW_FILES)
  return ['slowest files:', ...slowest.map(({ file, ms }) => `  ${formatDuration(ms).padStart(8)} ${file}`), '']
}

function formatFailure({ file, name, errors, evidence }: TestReport & { readonly file: string }): readonly string[] {
  return [`FAILED: ${file}: ${name}`, ...errors.map(indent), ...evidence.map(indent)]
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
