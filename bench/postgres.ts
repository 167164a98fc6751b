import { timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import type { SystemName } from './systems/all.ts'
import { makeBodies, makeBody } from './systems/system.ts'
import { waking } from './wake.ts'

const OURS = 'postern on PostgreSQL'

/** S1, W2: the same on a durable PostgreSQL. */
export const postgres: Subject = (lab) => {
  const rounds = lab.quick ? 4 : 10
  return [
    {
      title: 'PostgreSQL: push, awaited',
      rounds,
      warmUps: 4,
      contestants: ([OURS, 'raw INSERT', 'pg-boss', 'graphile-worker'] as const).map((name) =>
        lab.contestant(name, (system) => () => timed(40, () => system.push(makeBody()))),
      ),
      goals: [
        { id: 'S1', ours: OURS, than: 'raw INSERT', faster: 0.85 },
        { id: 'S1', ours: OURS, than: 'pg-boss', faster: 2 },
        { id: 'S1', ours: OURS, than: 'graphile-worker', faster: 2 },
      ],
    },
    {
      title: 'PostgreSQL: push, batch of 100',
      rounds,
      warmUps: 4,
      contestants: ([OURS, 'raw INSERT', 'pg-boss', 'graphile-worker'] as const).map((name) => batching(lab, name)),
      goals: [
        { id: 'S1', ours: OURS, than: 'pg-boss', faster: 1.5 },
        { id: 'S1', ours: OURS, than: 'graphile-worker', faster: 1.5 },
      ],
    },
    {
      title: 'PostgreSQL: drain 1,000',
      rounds: lab.quick ? 3 : 6,
      contestants: ([OURS, 'raw INSERT', 'pg-boss'] as const).map((name) => draining(lab, name)),
      goals: [{ id: 'S1', ours: OURS, than: 'pg-boss', faster: 2 }],
    },
    {
      title: 'PostgreSQL: wake across processes',
      rounds: lab.quick ? 3 : 6,
      contestants: ([OURS, 'raw INSERT+NOTIFY', 'graphile-worker', 'pg-boss LISTEN'] as const).map((name) =>
        waking(lab, name, lab.quick ? 30 : 50),
      ),
      goals: [
        { id: 'W2', ours: `${OURS} p50`, than: 'raw INSERT+NOTIFY p50', within: 1.3 },
        { id: 'W2', ours: `${OURS} p50`, than: 'graphile-worker p50', within: 0.7 },
        { id: 'W2', ours: `${OURS} p50`, than: 'pg-boss LISTEN p50', within: 0.6 },
      ],
    },
  ]
}

function batching(lab: Lab, name: SystemName) {
  return lab.contestant(name, (system) => () => {
    const bodies = makeBodies(100)
    return timed(1, () => system.pushMany(bodies))
  })
}

function draining(lab: Lab, name: SystemName) {
  return lab.contestant(name, (system) => async () => {
    await system.pushMany(makeBodies(1_000))
    return timed(1, async () => {
      const taken = await system.drain!(1_000)
      if (taken !== 1_000) throw new Error(`drained ${taken} of 1000`)
    })
  })
}
