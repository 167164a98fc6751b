import { join } from 'node:path'
import type { Postern } from '../src/model/postern.ts'
import { openLocal } from '../test/helpers/open-local.ts'
import { type Contestant, timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import type { SystemName } from './systems/all.ts'
import { makeBody } from './systems/system.ts'

const RECIPIENTS = Array.from({ length: 1_000 }, (_, i) => `reader-${i}`)

/** F1: one message for a thousand recipients. */
export const fanOut: Subject = (lab) => [
  {
    title: 'broadcast to 1,000',
    rounds: lab.quick ? 6 : 15,
    warmUps: 3,
    contestants: [
      ours(lab, 'postern', (postern) => timed(20, () => postern.inbox.push({ to: ['all'], content: makeBody() }))),
      ours(lab, 'single push', (postern) =>
        timed(20, () => postern.inbox.push({ to: ['reader-0'], content: makeBody() })),
      ),
    ],
    goals: [{ id: 'F1', ours: 'postern', than: 'single push', within: 2 }],
  },
  {
    title: 'push to 1,000 by name',
    rounds: lab.quick ? 4 : 8,
    warmUps: 2,
    contestants: [
      ours(lab, 'postern', (postern) => timed(1, () => postern.inbox.push({ to: RECIPIENTS, content: makeBody() }))),
      theirs(lab, 'Redis always'),
      theirs(lab, 'BullMQ always'),
    ],
    goals: [
      { id: 'F1', ours: 'postern', than: 'Redis always', faster: 5 },
      { id: 'F1', ours: 'postern', than: 'BullMQ always', faster: 25 },
    ],
  },
]

function ours(lab: Lab, name: string, block: (postern: Postern) => Promise<number>): Contestant {
  return {
    name,
    async enter() {
      const postern = await openLocal(join(lab.newFolder(), 'postern.db'), { upkeep: false })
      await Promise.all(RECIPIENTS.map((id) => postern.agents.add({ id })))
      return { block: () => block(postern), leave: () => postern.close() }
    },
  }
}

function theirs(lab: Lab, name: SystemName): Contestant {
  return lab.contestant(name, (system) => () => timed(1, () => system.fanOut!(makeBody(), RECIPIENTS)))
}
