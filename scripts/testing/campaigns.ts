import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { formatDuration } from '../../src/kit/pure/duration.ts'
import { ROOT } from './processes.ts'
import { appendResult, readResults } from './results.ts'
import { runVitest } from './run-vitest.ts'
import { listCampaignFiles } from './select.ts'
import { type Summary, summarise } from './summary.ts'

/** The result of one campaign file: one line of the results file. */
interface CampaignResult {
  readonly commit: string
  readonly file: string
  readonly hasPassed: boolean
  readonly ms: number
}

const RESULTS = join(ROOT, '.cache', 'campaigns.jsonl')

/** Runs each campaign file by itself. A file that has passed on this commit is not run again. */
export async function runCampaigns(
  subjects: readonly string[],
  isCi: boolean,
): Promise<Pick<Summary, 'passed' | 'failed'>> {
  const commit = findCommit(ROOT)
  const done = new Set(
    readResults<CampaignResult>(RESULTS)
      .filter((result) => result.commit === commit && result.hasPassed)
      .map(({ file }) => file),
  )
  const files = listCampaignFiles(ROOT).filter(
    (file) => subjects.length === 0 || subjects.some((subject) => file.includes(subject)),
  )
  let [passed, failed] = [0, 0]
  for (const file of files) {
    if (done.has(file)) {
      console.log(`passed before on this commit: ${file}`)
      passed++
      continue
    }
    const begunAt = performance.now()
    const { isFine, report } = await runVitest('long', [file])
    const summary = summarise(report, { tier: 'long', isCi, claims: undefined })
    for (const line of summary.lines.filter((each) => each.startsWith('skipped:'))) console.log(line)
    const hasFailed = !isFine || summary.failed > 0
    const hasPassed = !hasFailed && summary.passed > 0
    const ms = Math.round(performance.now() - begunAt)
    console.log(`${hasFailed ? 'FAILED' : hasPassed ? 'ok    ' : 'no test'} ${file} ${formatDuration(ms)}`)
    if (commit !== undefined && (hasPassed || hasFailed)) appendResult(RESULTS, { commit, file, hasPassed, ms })
    if (hasPassed) passed++
    if (hasFailed) failed++
  }
  return { passed, failed }
}

/** The commit in the work tree. Undefined where a file was changed since: results say nothing of the commit then. */
export function findCommit(root: string): string | undefined {
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
  return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : undefined
}
