import { DatabaseSync } from 'node:sqlite'
import type { HealthReport } from '../../../src/model/postern.ts'
import { runCli } from './cli.ts'

/** What SQLite says of every page and every index; null where all is well. */
export function integrityFault(path: string): string | null {
  const database = new DatabaseSync(path, { timeout: 5_000 })
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
  if (code !== 0 || !report.ok) return `doctor: ${JSON.stringify(report.checks.filter((check) => !check.ok))}`
  const conservation = report.checks.find((check) => check.name === 'store.conservation')
  return conservation?.ok ? null : 'doctor does not look at conservation'
}
