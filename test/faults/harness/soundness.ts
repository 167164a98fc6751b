import { DatabaseSync } from 'node:sqlite'
import type { HealthReport } from '../../../src/model/postern.ts'
import { DEAD_MACHINE_MS } from '../../helpers/patience.ts'
import { runCli } from './cli.ts'
import { withStore } from './home.ts'

/** What SQLite says of every page and every index; null where all is well. */
export function integrityFault(path: string): string | null {
  const database = new DatabaseSync(path, { timeout: DEAD_MACHINE_MS })
  try {
    const verdict = database.prepare('PRAGMA integrity_check').get()?.['integrity_check']
    return verdict === 'ok' ? null : `integrity_check: ${String(verdict)}`
  } finally {
    database.close()
  }
}

/** What `doctor` finds wrong in a home; null where all is well, conservation included. */
export async function doctorFault(home: string): Promise<string | null> {
  const { code, stdout, stderr } = await runCli(home, ['doctor', '--json'])
  if (stderr !== '' || stdout === '') return `doctor: exit ${code}, ${stderr}`
  const report = JSON.parse(stdout) as HealthReport
  return code === 0 ? faultIn(report) : `doctor: exit ${code}, ${faultIn(report)}`
}

/** What is wrong with the store of a home. It checks the same as `doctor`, without a process of its own. */
export async function storeFault(home: string): Promise<string | null> {
  try {
    return await withStore(home, async ({ upkeep }) => faultIn(await upkeep.check()))
  } catch (error) {
    return `the store cannot be opened: ${error}`
  }
}

function faultIn({ ok, checks }: HealthReport): string | null {
  if (!ok) return JSON.stringify(checks.filter((check) => !check.ok))
  const conservation = checks.find((check) => check.name === 'store.conservation')
  return conservation?.ok ? null : 'nobody looked at conservation'
}
