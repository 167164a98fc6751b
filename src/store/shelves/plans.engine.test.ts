import { expect, it, vi } from 'vitest'
import { PATIENTLY } from '../../../test/helpers/patience.ts'
import { usePostgres } from '../../../test/helpers/postgres-store.ts'
import { NOW, plan } from '../../../test/helpers/shelf-things.ts'

const createWorld = usePostgres()

it('a plan that is set anew while it is being reaped stays', async () => {
  const { open, connect } = await createWorld()
  const store = await open()
  const admin = await connect()
  const finished = { ...plan('plan_1'), nextRunAt: null }
  await store.transact((tx) => tx.plans.insert(finished))
  let reaping: Promise<number> | undefined
  await store.transact(async (tx) => {
    await tx.plans.update({ ...finished, nextRunAt: NOW + 2, updatedAt: NOW + 1 })
    reaping = store.transact((other) => other.plans.reap({ finishedBefore: NOW + 1, limit: 10 }))
    await vi.waitFor(async () => {
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      expect((await admin.query(waiting)).rowCount).toBe(1)
    }, PATIENTLY)
  })
  expect(await reaping).toBe(0)
  expect(await store.read.plans.get(finished.id)).toMatchObject({ nextRunAt: NOW + 2 })
})
