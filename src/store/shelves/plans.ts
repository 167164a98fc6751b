import type { Priority } from '../../model/priority.ts'
import type { Plan } from '../../model/sources/plan.ts'
import type { PlanShelf } from '../contract/plans.ts'
import { isAmong, locking, type Sql, type SqlRow, type SqlValue } from '../sql.ts'
import { READY } from './waiting.ts'

export function createPlanShelf(sql: Sql): PlanShelf {
  const lock = locking(sql, 'FOR UPDATE')
  /** What another server is about to fire is left to it. */
  const skipping = locking(sql, 'FOR UPDATE OF p SKIP LOCKED')
  const among = (column: 'id' | 'agent_id' | 'name', list: string) => isAmong(sql, `p.${column}`, list, 'text')
  const select = async (rest: string, params: readonly SqlValue[]) =>
    (
      await sql.all(`SELECT ${COLUMNS.map((column) => `p.${column}`).join(', ')} FROM plans p WHERE ${rest}`, params)
    ).map(readPlan)

  return {
    async insert(plan) {
      const values = COLUMNS.map((_, index) => `?${index + 1}`).join(', ')
      await sql.run(`INSERT INTO plans (${COLUMNS.join(', ')}) VALUES (${values})`, planValues(plan))
    },

    async get(id) {
      return (await select(`p.id = ?1 ${lock}`, [id]))[0]
    },

    async ofName({ agent, name }) {
      return (await select(`p.agent_id = ?1 AND p.name = ?2 ${lock}`, [agent, name]))[0]
    },

    async lock({ ids, agents, names }) {
      if (lock === '') return
      const [isId, isAgent, isName] = [among('id', '?1'), among('agent_id', '?2'), among('name', '?3')]
      await sql.all(
        `SELECT p.id FROM plans p WHERE ${isId} OR (${isAgent} AND ${isName}) ORDER BY p.id ${lock}`,
        [ids, agents, names].map((list) => JSON.stringify(list)),
      )
    },

    list: ({ agent, all, limit }) =>
      select(
        `(?1 = '' OR p.agent_id = ?1) AND (?2 = 1 OR p.next_run_at IS NOT NULL OR p.paused_at IS NOT NULL)
         ORDER BY p.next_run_at IS NULL, p.next_run_at, p.id LIMIT ?3 + 0`,
        [agent ?? '', all ? 1 : 0, limit],
      ),

    async count({ agent }) {
      await sql.get(`SELECT id FROM agents WHERE id = ?1 ${lock}`, [agent])
      const [count] =
        (await sql.get('SELECT count(*) FROM plans WHERE agent_id = ?1 AND next_run_at IS NOT NULL', [agent])) ?? []
      return Number(count)
    },

    async update(plan) {
      const set = COLUMNS.map((column, index) => `${column} = ?${index + 1}`).join(', ')
      await sql.run(`UPDATE plans SET ${set}, about = coalesce(?${COLUMNS.length + 1}, about) WHERE id = ?1`, [
        ...planValues(plan),
        plan.about ?? null,
      ])
    },

    async delete(which) {
      const [list, condition] =
        'ids' in which
          ? [which.ids, isAmong(sql, 'id', '?1', 'text')]
          : [which.about, `${isAmong(sql, 'about', '?1', 'text')} AND about IS NOT NULL AND next_run_at IS NOT NULL`]
      await sql.run(`DELETE FROM plans WHERE ${condition}`, [JSON.stringify(list)])
    },

    async deleteOf({ agent }) {
      await sql.run('DELETE FROM plans WHERE agent_id = ?1', [agent])
    },

    due: ({ now, limit, agent, without = [] }) =>
      select(
        `${READY} AND p.next_run_at <= ?1 AND (?3 = '' OR p.agent_id = ?3) AND NOT (${among('agent_id', '?4')})
         ORDER BY p.next_run_at, p.id LIMIT ?2 + 0`,
        [now, limit, agent ?? '', JSON.stringify(without)],
      ),

    async claim({ id, now }) {
      return (await select(`p.id = ?1 AND ${READY} AND p.next_run_at <= ?2 ${skipping}`, [id, now]))[0]
    },

    async nextAt({ agent }) {
      const [next] =
        (await sql.get(
          `SELECT p.next_run_at FROM plans p WHERE p.agent_id = ?1 AND ${READY} ORDER BY p.next_run_at LIMIT 1`,
          [agent],
        )) ?? []
      return next
    },

    reap: ({ finishedBefore, limit }) =>
      sql.run(
        // Said twice, because PostgreSQL looks again only at the outer one where the plan was set anew meanwhile.
        `DELETE FROM plans WHERE ${FINISHED} AND id IN (SELECT id FROM plans WHERE ${FINISHED} ORDER BY id LIMIT ?2 + 0)`,
        [finishedBefore, limit],
      ),
  }
}

const FINISHED = 'next_run_at IS NULL AND paused_at IS NULL AND updated_at < ?1'

const COLUMNS = [
  'id',
  'agent_id',
  'name',
  'instruction',
  'priority',
  'cron',
  'zone',
  'missed',
  'gate_id',
  'next_run_at',
  'paused_at',
  'last_run_at',
  'runs',
  'created_by',
  'created_at',
  'updated_at',
  'revision',
] as const

function planValues(plan: Plan): SqlValue[] {
  const { id, agent, name, instruction, priority, cron, zone, missed, gateId } = plan
  const { nextRunAt, pausedAt, lastRunAt, runs, createdBy, createdAt, updatedAt, revision } = plan
  return [
    ...[id, agent, name, instruction, priority, cron, zone, missed, gateId],
    ...[nextRunAt, pausedAt, lastRunAt, runs, createdBy, createdAt, updatedAt, revision],
  ]
}

function readPlan(row: SqlRow): Plan {
  const [id, agent, name, instruction, priority, cron, zone, missed, gateId] = row
  const [nextRunAt, pausedAt, lastRunAt, runs, createdBy, createdAt, updatedAt, revision] = row.slice(9)
  const what = { id, agent, name, instruction, priority: priority as Priority, cron, zone, missed, gateId }
  return { ...what, nextRunAt, pausedAt, lastRunAt, runs, createdBy, createdAt, updatedAt, revision }
}
