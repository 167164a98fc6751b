import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { Connection } from '../sqlite/connection.ts'
import { migrate } from '../sqlite/migrate.ts'
import { expiredOf } from './deliveries.ts'
import { WAITING } from './waiting.ts'

describe('a drain on SQLite', () => {
  it('reads nothing of what has expired for others', () => {
    const connection = new Connection(`${temporaryFolder()}/postern.db`, { busyMs: 0 })
    migrate(connection)
    const plan = (query: string, params: readonly (string | number)[]) =>
      connection.all(`EXPLAIN QUERY PLAN ${query}`, params).map((row) => String(row.at(-1)))
    for (const steps of [plan(WAITING, ['ada', 1]), plan(expiredOf('ada'), [1, 2, 'ada'])]) {
      expect(steps.filter((step) => step.includes('deliveries_expiry'))).toEqual([])
      expect(steps.join()).toContain(
        'deliveries_own_expiry ((agent_id,expires_at)>(?,?) AND (agent_id,expires_at)<(?,?))',
      )
      expect(steps.filter((step) => step.startsWith('SCAN deliveries') || step.startsWith('SCAN d'))).toEqual([])
    }
    connection.close()
  })
})
