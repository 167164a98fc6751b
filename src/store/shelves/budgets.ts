import type { BudgetShelf } from '../contract/budgets.ts'
import { locking, type Sql } from '../sql.ts'

const MINUTE_MS = 60_000

/** A token bucket for each pair of agents, refilled by the time that passed since it was last used. */
export function createBudgetShelf(sql: Sql): BudgetShelf {
  return {
    async take({ from, to, now, burst, perMinute }) {
      // The row is made first: only what is there can be locked, and the first messages of a pair may come at once.
      await sql.run(sql.engine === 'postgres' ? LOCK_AND_INSERT : INSERT, [from, to, burst, now])
      const row = await sql.get(
        `SELECT tokens, updated_at FROM budgets WHERE from_id = ?1 AND to_id = ?2 ${locking(sql, 'FOR UPDATE')}`,
        [from, to],
      )
      const [tokens, updatedAt] = (row ?? [burst, now]) as readonly [number, number]
      const refilled = Math.min(burst, tokens + (Math.max(0, now - updatedAt) * perMinute) / MINUTE_MS)
      const granted = refilled >= 1
      await sql.run('UPDATE budgets SET tokens = ?3, updated_at = ?4 WHERE from_id = ?1 AND to_id = ?2', [
        from,
        to,
        granted ? refilled - 1 : refilled,
        now,
      ])
      return granted
    },
  }
}

const INSERT = 'INSERT INTO budgets (from_id, to_id, tokens, updated_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING'

/** The recipient is locked first, as by every push. Otherwise two that write to it could wait for each other. */
const LOCK_AND_INSERT = `WITH inbox AS MATERIALIZED (SELECT a.id FROM agents a WHERE a.id = ?2 FOR UPDATE)
  INSERT INTO budgets (from_id, to_id, tokens, updated_at)
  SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM inbox) >= 0 ON CONFLICT DO NOTHING`
