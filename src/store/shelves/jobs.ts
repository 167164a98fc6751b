import type { Sql } from '../sql.ts'
import type { UpkeepShelf } from '../store.ts'

/** Whether there is anything to do, which every command asks in passing. */
export function createJobShelf(sql: Sql): Pick<UpkeepShelf, 'ranAt' | 'claim' | 'hasDueGates'> {
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
  }
}
