import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { wakeByQueue } from './codex.ts'
import type { Watch } from './watch.ts'

const MINUTE_MS = 60_000

it('retries a queue that failed after at least one minute and at most ten', async () => {
  let now = Date.now()
  const postern = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false, now: () => now })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  await postern.sessions.note({ id: 's', agent: 'quinn', host: 'codex', event: 'session.start' })
  await postern.inbox.push({ to: ['quinn'], content: 'hello' })
  const watch: Watch = {
    postern,
    agent: 'quinn',
    sessionId: 's',
    endsAt: now + 60 * MINUTE_MS,
    isStoreThere: () => true,
    now: () => now,
    async sleep(ms) {
      now += ms
    },
  }
  const askedAt: number[] = []
  const faults: string[] = []
  const queue = async () => {
    askedAt.push(now)
    return 'codex queue failed: no such thread'
  }
  await wakeByQueue(watch, queue, (fault) => faults.push(fault))
  const waits = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0))
  expect(waits.length).toBeGreaterThan(3)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(MINUTE_MS)
  expect(Math.max(...waits)).toBeLessThanOrEqual(10 * MINUTE_MS + 1_000)
  expect(new Set(faults)).toEqual(new Set(['codex queue failed: no such thread']))
  expect(faults).toHaveLength(askedAt.length)
})
