import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatDuration } from '../../src/kit/pure/duration.ts'
import { ROOT, run } from './processes.ts'
import { listCampaignFiles } from './select.ts'
import { TAG_FILTER } from './summary.ts'

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
): Promise<{ readonly passed: number; readonly failed: number }> {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
  const done = new Set(
    readResults()
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
    const hasPassed = await run(['vitest', 'run', `--tagsFilter=${TAG_FILTER.long}`, file], { POSTERN_TIER: 'long' })
    const ms = Math.round(performance.now() - begunAt)
    console.log(`${hasPassed ? 'ok    ' : 'FAILED'} ${file} ${formatDuration(ms)}`)
    append({ commit, file, hasPassed, ms })
    if (hasPassed) passed++
    else failed++
  }
  return { passed, failed }
}

function readResults(): readonly CampaignResult[] {
  try {
    const lines = readFileSync(RESULTS, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line) as CampaignResult)
  } catch {
    return []
  }
}

function append(result: CampaignResult): void {
  mkdirSync(dirname(RESULTS), { recursive: true })
  appendFileSync(RESULTS, `${JSON.stringify(result)}\n`)
}
