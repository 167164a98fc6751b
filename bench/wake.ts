import { setTimeout as sleep } from 'node:timers/promises'
import { type Contestant, percentile } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { type Helper, startHelper } from './processes/helper.ts'
import type { CpuReport, WaiterReport } from './processes/messages.ts'
import { openSystem, type SystemName } from './systems/all.ts'
import { makeBody } from './systems/system.ts'

const FULL_WAKES = 10_000
/** Whoever has not heard after this long was not rung. */
const LOST_MS = 3_000
const IDLE_MS = 1_000
const PENDING = 50_000

/** W1: from before the push in one process to the parsed message in another. */
export const wake: Subject = (lab) => {
  const wakes = lab.quick ? 50 : 100
  const rounds = lab.full ? Math.ceil(FULL_WAKES / (3 * wakes)) : lab.quick ? 4 : 8
  return [
    {
      title: 'wake across processes',
      rounds,
      contestants: (['postern', 'Redis always', 'BullMQ everysec', 'BullMQ always'] as const).map((name) =>
        waking(lab, name, wakes),
      ),
      goals: [
        { id: 'W1', ours: 'postern p50', than: 'BullMQ everysec p50', within: 1 },
        { id: 'W1', ours: 'postern p50', than: 'Redis always p50', within: 1.6 },
        { id: 'W1', ours: 'postern p99', atMost: 5 },
        { id: 'W1', ours: 'postern lost', atMost: 0 },
      ],
    },
    {
      title: `CPU of an idle waiter in ${IDLE_MS} ms`,
      rounds: 2,
      warmUps: 1,
      contestants: [idling(lab, 'waiter', 'postern'), idling(lab, 'poller', 'poll every 1 ms')],
      goals: [{ id: 'W1', ours: 'postern', than: 'poll every 1 ms', within: 0.1 }],
    },
  ]
}

export function waking(lab: Lab, system: SystemName, wakes: number): Contestant {
  return {
    name: system,
    async enter() {
      const place = await lab.placeFor(system)
      const options = { pending: PENDING }
      const sender = await openSystem(system, place, options)
      const waiter = await startHelper<object, WaiterReport>('waiter', { system, place, options })
      return {
        async block() {
          const took: number[] = []
          let lost = 0
          for (let i = 0; i < wakes; i++) {
            // The waiter must wait again before the next push, or nothing is woken.
            await sleep(2 + Math.random() * 3)
            await sender.push(makeBody())
            sender.ring?.()
            try {
              took.push((await waiter.report(LOST_MS)).wokeAfter)
            } catch {
              lost++
            }
          }
          return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), lost }
        },
        async leave() {
          await waiter.stop()
          await sender.close()
        },
      }
    },
  }
}

function idling(lab: Lab, script: 'waiter' | 'poller', name: string): Contestant {
  return {
    name,
    async enter() {
      const place = lab.newFolder()
      const keeper = await openSystem('postern', place)
      const helper: Helper<object, CpuReport> = await startHelper(script, { system: 'postern', place })
      return {
        async block() {
          helper.send({})
          await helper.report()
          await sleep(IDLE_MS)
          helper.send({})
          return (await helper.report()).cpuMs
        },
        async leave() {
          await helper.stop()
          await keeper.close()
        },
      }
    },
  }
}
