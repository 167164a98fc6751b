import { type Contestant, percentile, timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { type Helper, startHelper } from './processes/helper.ts'
import type { WriterOrder, WriterReport } from './processes/messages.ts'
import { openSystem, type SystemName } from './systems/all.ts'
import { makeBody } from './systems/system.ts'

type Writer = Helper<WriterOrder, WriterReport>

const WRITERS = 8
/** Of what one writer alone can do, so that writers meet without standing in a queue. */
const SHARE = 0.4
/** Past the first checkpoint, when SQLite's log no longer grows. */
const WARM_PUSHES = 1_200
const MOST_PUSHES_PER_S = WRITERS * 230

/** P5, P6: processes that push at the same time into one store. */
export const writers: Subject = async (lab) => {
  const periodMs = (WRITERS * 1000) / (await affordablePushes(lab))
  return [
    {
      title: `${WRITERS} writers, each every ${periodMs.toFixed(1)} ms`,
      rounds: lab.quick ? 2 : 4,
      contestants: [paced(lab, 'postern', 'postern', periodMs), paced(lab, 'raw SQLite', 'busy_timeout', periodMs)],
      goals: [
        { id: 'P5', ours: 'postern p99', than: 'busy_timeout p99', within: 0.15 },
        { id: 'P5', ours: 'postern p99', atMost: 10 },
        { id: 'P5', ours: 'postern fairness', atLeast: 0.8 },
      ],
    },
    {
      title: '2 writers, as fast as they can',
      rounds: lab.quick ? 4 : 10,
      contestants: (['postern', 'raw SQLite', 'BullMQ always'] as const).map((name) => racing(lab, name)),
      goals: [{ id: 'P6', ours: 'postern', than: 'BullMQ always', faster: 1.4 }],
    },
  ]
}

async function affordablePushes(lab: Lab): Promise<number> {
  const alone = await lab.open('raw SQLite')
  await timed(WARM_PUSHES, () => alone.push(makeBody()))
  const ms = await timed(300, () => alone.push(makeBody()))
  await alone.close()
  return Math.min(MOST_PUSHES_PER_S, (SHARE * 1000) / ms)
}

function paced(lab: Lab, system: SystemName, name: string, periodMs: number): Contestant {
  return withWriters(lab, { system, name, count: WRITERS }, async (helpers) => {
    const reports = await order(helpers, { periodMs, forMs: 2_000 })
    const counts = reports.map(({ took }) => took.length)
    return {
      p50: percentile(
        reports.flatMap(({ took }) => took),
        0.5,
      ),
      p99: Math.max(...reports.map(({ took }) => percentile(took, 0.99))),
      max: Math.max(...reports.flatMap(({ took }) => took)),
      fairness: Math.min(...counts) / Math.max(...counts),
    }
  })
}

function racing(lab: Lab, system: SystemName): Contestant {
  const pushes = 100
  return withWriters(lab, { system, name: system, count: 2 }, async (helpers) => {
    const ms = await timed(1, () => order(helpers, { pushes }))
    return ms / (pushes * helpers.length)
  })
}

async function order(helpers: readonly Writer[], what: WriterOrder): Promise<WriterReport[]> {
  for (const helper of helpers) helper.send(what)
  return Promise.all(helpers.map((helper) => helper.report()))
}

/** One connection stays open beside the writers, as in a store that somebody serves. */
function withWriters(
  lab: Lab,
  { system, name, count }: { readonly system: SystemName; readonly name: string; readonly count: number },
  block: (helpers: readonly Writer[]) => Promise<number | Record<string, number>>,
): Contestant {
  return {
    name,
    async enter() {
      const place = await lab.placeFor(system)
      const keeper = await openSystem(system, place)
      await timed(WARM_PUSHES, () => keeper.push(makeBody()))
      const helpers: Writer[] = []
      for (let lane = 0; lane < count; lane++)
        helpers.push(await startHelper('writer', { system, place, options: { lane } }))
      return {
        block: () => block(helpers),
        async leave() {
          for (const helper of helpers) await helper.stop()
          await keeper.close()
        },
      }
    },
  }
}
