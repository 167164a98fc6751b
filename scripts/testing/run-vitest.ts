import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tier } from '../../test/helpers/tier.ts'
import { run } from './processes.ts'
import { type RunReport, readReport, reportVariable } from './report.ts'
import { TAG_FILTER } from './summary.ts'

export interface VitestRun {
  /** False where vitest failed. It may know of a failure that its report does not name. */
  readonly isFine: boolean
  readonly report: RunReport
}

/** Runs the tests of a tier on our own terminal. */
export async function runVitest(tier: Tier, words: readonly string[]): Promise<VitestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-report-'))
  const path = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=./scripts/testing/report.ts']
    const tags = `--tagsFilter=${TAG_FILTER[tier]}`
    const isFine = await run(['vitest', 'run', ...reporters, tags, ...words], {
      POSTERN_TIER: tier,
      ...reportVariable(path),
    })
    return { isFine, report: readReport(path) ?? { files: [], errors: ['vitest wrote no report'] } }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
