import type { UpkeepShelf } from '../contract/upkeep.ts'
import type { Sql } from '../sql.ts'
import { READY } from './waiting.ts'

export type JobShelf = Pick<UpkeepShelf, 'ranAt' | 'claim' | 'hasDueGates' | 'hasDuePlans' | 'nextAt'>

/** Whether there is anything to do, which every command asks in passing. */
export function createJobShelf(sql: Sql): JobShelf {
  return {
    async ranAt() {
      const rows = await sql.all('SELECT name, ran_at FROM jobs')
      return new Map(rows.map(([name, at]) => [name as string, at as number]))
    },

    async claim({ job, now, intervalMs }) {
      const changed = await sql.run(
        `INSERT INTO jobs (name, ran_at) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET ran_at = excluded.ran_at WHERE jobs.ran_at <= ?2 - ?3 OR jobs.ran_at > ?2`,
        [job, now, intervalMs],
      )
      return changed === 1
    },

    async hasDueGates({ now }) {
      const due = 'SELECT 1 FROM gates WHERE next_at IS NOT NULL AND next_at <= ?1 LIMIT 1'
      return (await sql.get(due, [now])) !== undefined
    },

    async hasDuePlans({ now }) {
      const due = `SELECT 1 FROM plans p WHERE ${READY} AND p.next_run_at <= ?1 LIMIT 1`
      return (await sql.get(due, [now])) !== undefined
    },

    async nextAt({ after }) {
      const times = (await sql.get(NEXT, [after]))?.filter((at) => at !== null) ?? []
      return times.length === 0 ? undefined : Math.min(...times)
    },
  }
}

/** Each is the first entry of an index. */
const NEXT = `SELECT
  (SELECT next_at FROM gates WHERE next_at IS NOT NULL AND next_at > ?1 ORDER BY next_at LIMIT 1),
  (SELECT p.next_run_at FROM plans p WHERE ${READY} AND p.next_run_at > ?1 ORDER BY p.next_run_at LIMIT 1)`
