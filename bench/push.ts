import { timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import type { SystemName } from './systems/all.ts'
import { makeBodies, makeBody, type System } from './systems/system.ts'

/** Past the first checkpoint, when SQLite's log no longer grows. */
const WARM_PUSHES = 1_200

/** P1, P2, P4: one producer that waits for every answer, batches, and pushes that are not waited for. */
export const push: Subject = (lab) => {
  const rounds = lab.quick ? 6 : 15
  return [
    {
      title: 'push, awaited',
      rounds,
      contestants: (
        [
          'postern',
          'raw SQLite',
          'append+fsync',
          'BullMQ always',
          'BullMQ everysec',
          'pg-boss',
          'graphile-worker',
        ] as const
      ).map((name) => lab.contestant(name, awaited)),
      goals: [
        { id: 'P1', ours: 'postern', than: 'BullMQ always', faster: 2 },
        { id: 'P1', ours: 'postern', than: 'BullMQ everysec', faster: 1 },
        { id: 'P1', ours: 'postern', than: 'pg-boss', faster: 4 },
        { id: 'P1', ours: 'postern', than: 'graphile-worker', faster: 4 },
        { id: 'P2', ours: 'postern', than: 'raw SQLite', faster: 0.9 },
        { id: 'P2', ours: 'postern', than: 'append+fsync', faster: 0.85 },
      ],
    },
    {
      title: 'push, batch of 100',
      rounds,
      contestants: [...batches(lab, 100), unawaited(lab)],
      goals: [
        { id: 'P4', ours: 'postern', than: 'BullMQ always', faster: 6 },
        { id: 'P4', ours: 'postern', than: 'Redis always', faster: 1.5 },
        { id: 'P4', ours: 'postern', than: 'raw SQLite', faster: 0.7 },
        { id: 'P4', ours: 'postern, 100 un-awaited', than: 'postern', faster: 0.6 },
      ],
    },
    {
      title: 'push, batch of 1,000',
      rounds: lab.quick ? 4 : 8,
      contestants: batches(lab, 1_000),
      goals: [
        { id: 'P4', ours: 'postern', than: 'BullMQ always', faster: 10 },
        { id: 'P4', ours: 'postern', than: 'raw SQLite', faster: 0.7 },
      ],
    },
  ]
}

async function awaited(system: System) {
  for (let i = 0; i < WARM_PUSHES; i++) await system.push(makeBody())
  return () => timed(50, () => system.push(makeBody()))
}

function batches(lab: Lab, size: number) {
  const names: SystemName[] = ['postern', 'raw SQLite', 'Redis always', 'BullMQ always']
  return names.map((name) =>
    lab.contestant(name, async (system) => {
      for (let i = 0; i < 3; i++) await system.pushMany(makeBodies(size))
      return () => {
        const bodies = makeBodies(size)
        return timed(1, () => system.pushMany(bodies))
      }
    }),
  )
}

function unawaited(lab: Lab) {
  const contestant = lab.contestant('postern', (system) => () => {
    const bodies = makeBodies(100)
    return timed(1, () => Promise.all(bodies.map((body) => system.push(body))))
  })
  return { ...contestant, name: 'postern, 100 un-awaited' }
}
