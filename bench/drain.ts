import { statSync } from 'node:fs'
import { join } from 'node:path'
import { timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import type { SystemName } from './systems/all.ts'
import { openPostern } from './systems/postern.ts'
import { makeBodies, type System } from './systems/system.ts'

const BATCH = 10_000
const EMPTY_DRAINS = 500

/** D1, D2, D3: everything that waits for one agent is read, parsed and marked. */
export const drain: Subject = (lab) => [
  {
    title: 'drain 1,000',
    rounds: lab.quick ? 4 : 8,
    contestants: (
      [
        'postern',
        'raw SQLite',
        'Redis always',
        'Redis everysec',
        'BullMQ always',
        'BullMQ everysec',
        'pg-boss',
      ] as const
    ).map((name) => draining(lab, name, 1_000)),
    goals: [
      { id: 'D1', ours: 'postern', than: 'BullMQ always', faster: 20 },
      { id: 'D1', ours: 'postern', than: 'BullMQ everysec', faster: 20 },
      { id: 'D1', ours: 'postern', than: 'pg-boss', faster: 5 },
      { id: 'D1', ours: 'postern', than: 'Redis always', within: 1.3 },
      { id: 'D1', ours: 'postern', than: 'raw SQLite', within: 1.5 },
    ],
  },
  {
    title: 'drain 100,000',
    rounds: 1,
    warmUps: lab.quick ? 0 : 1,
    contestants: (['postern', 'raw SQLite', 'pg-boss'] as const).map((name) => draining(lab, name, 100_000)),
    goals: [
      { id: 'D2', ours: 'postern', atMost: 1_000 },
      { id: 'D2', ours: 'postern', than: 'pg-boss', faster: 8 },
    ],
  },
  {
    title: 'drain, nothing there',
    rounds: lab.quick ? 10 : 20,
    contestants: [emptyPostern(lab), emptyRedis(lab)],
    goals: [
      { id: 'D3', ours: 'postern', atMost: 0.01 },
      { id: 'D3', ours: 'postern', than: 'Redis everysec', faster: 10 },
      { id: 'D3', ours: 'postern bytes written', atMost: 0 },
    ],
  },
]

function draining(lab: Lab, name: SystemName, count: number) {
  return lab.contestant(name, (system) => () => drainOnce(system, count), { pending: count })
}

async function drainOnce(system: System, count: number): Promise<number> {
  for (let left = count; left > 0; left -= BATCH) await system.pushMany(makeBodies(Math.min(left, BATCH)))
  const startedAt = performance.now()
  const taken = await system.drain!(count)
  const ms = performance.now() - startedAt
  if (taken !== count) throw new Error(`drained ${taken} of ${count}`)
  return ms
}

function emptyPostern(lab: Lab) {
  return {
    name: 'postern',
    async enter() {
      const folder = lab.newFolder()
      const system = await openPostern(folder)
      const written = () => ['postern.db', 'postern.db-wal'].map((name) => fingerprint(join(folder, name))).join()
      return {
        async block() {
          const before = written()
          const ms = await timed(EMPTY_DRAINS, () => system.drain!(20))
          return { '': ms, 'bytes written': before === written() ? 0 : 1 }
        },
        leave: async () => {
          await system.close()
        },
      }
    },
  }
}

/** Size and time of change: neither moves when nothing is written. */
function fingerprint(path: string): string {
  const { size, mtimeMs } = statSync(path)
  return `${size}@${mtimeMs}`
}

function emptyRedis(lab: Lab) {
  return lab.contestant('Redis everysec', async (system) => {
    while ((await system.drain!(10_000)) > 0);
    return () => timed(100, () => system.drain!(20))
  })
}
