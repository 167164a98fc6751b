import { join } from 'node:path'
import { assemble } from '../src/host/open/open.ts'
import { openEmbedded, openPostgres } from '../src/host/open/store.ts'
import { createLocalLedger, type LocalLedger } from '../src/ledger/local/local-ledger.ts'
import { verifyTopic } from '../src/ledger/verify.ts'
import type { Postern } from '../src/model/postern.ts'
import type { Store } from '../src/store/store.ts'
import type { Wire } from '../src/wires/wire.ts'
import { type Contest, type Contestant, type Entrant, timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { listening } from './ledger/listening.ts'

const IN_FLIGHT = 100
const ENTRIES = 100_000
const PUSH = 'inbox push'
const TEXT = JSON.stringify({ p: 'hcs-10', op: 'message', operator_id: '0.0.1003@0.0.1002', data: 'x'.repeat(300) })

/** What an entry on the local ledger costs beside a push, how fast a topic is walked, and what a listener takes in. */
export const ledger: Subject = (lab) => [
  writing(lab, 'SQLite', () => embedded(lab)),
  writing(lab, 'PostgreSQL', async () => openPostgres(await lab.database())),
  verifying(lab),
  listening(lab),
]

interface Opened {
  readonly store: Store
  readonly wire: Wire
}

function embedded(lab: Lab): Promise<Opened> {
  return openEmbedded(join(lab.newFolder(), 'postern.db'), {})
}

function writing(lab: Lab, engine: string, open: () => Promise<Opened>): Contest {
  const contestant = (name: string, work: (world: World) => (at: number) => Promise<unknown>): Contestant => ({
    name,
    enter: async () => inFlight(await openWorld(await open()), work, lab.quick ? 3 : 10),
  })
  return {
    title: `${engine}: ${IN_FLIGHT} in flight`,
    rounds: lab.quick ? 6 : 15,
    warmUps: 3,
    contestants: [
      contestant(
        PUSH,
        ({ postern, agents }) =>
          (at) =>
            postern.inbox.push({ to: [agents[at] ?? ''], content: TEXT }),
      ),
      contestant('ledger submit', (world) => (at) => submit(world, at)),
      contestant(
        'message send',
        ({ postern, agents }) =>
          (at) =>
            postern.messages.send({
              to_agent: agents[at] ?? '',
              message_type: 'fyi',
              subject: 'Hello',
              payload: { text: TEXT },
            }),
      ),
    ],
    goals: [{ id: 'L1', ours: 'ledger submit', than: PUSH, faster: 0.5 }],
  }
}

interface World {
  readonly store: Store
  readonly postern: Postern
  readonly ledger: LocalLedger
  readonly agents: readonly string[]
  readonly topics: readonly string[]
}

async function openWorld({ store, wire }: Opened): Promise<World> {
  const postern = assemble(store, wire, { upkeep: false, limits: { pendingPerAgent: 1e6 } })
  const agents = Array.from({ length: IN_FLIGHT }, (_, at) => `agent-${at}`)
  for (const id of agents) await postern.agents.add({ id })
  const { agents: identities } = await postern.ledger.setup({})
  return {
    store,
    postern,
    ledger: createLocalLedger({ store }),
    agents,
    topics: identities.map((each) => each.inboundTopicId),
  }
}

function submit({ store, ledger, topics }: World, at: number): Promise<unknown> {
  const submission = { topicId: topics[at] ?? '', payer: '0.0.2', memo: 'hcs-10:op:6:1', mayChunk: false }
  return store.transact((tx) => ledger.within(tx).submit({ ...submission, message: MESSAGE }))
}

const MESSAGE = new TextEncoder().encode(TEXT)

function inFlight(world: World, work: (world: World) => (at: number) => Promise<unknown>, times: number): Entrant {
  const one = work(world)
  return {
    block: () => timed(times, () => Promise.all(world.agents.map((_, at) => one(at)))),
    leave: () => world.postern.close(),
  }
}

function verifying(lab: Lab): Contest {
  return {
    title: `verify a topic of ${ENTRIES.toLocaleString('en')} entries`,
    rounds: lab.quick ? 3 : 6,
    contestants: [
      {
        name: 'verify',
        async enter() {
          const world = await openWorld(await embedded(lab))
          const [topicId = ''] = world.topics
          await fill(world, topicId)
          return {
            async block() {
              const ms = await timed(1, async () => {
                const walk = await verifyTopic({ shelf: world.store.read.ledger, topicId })
                if (!walk?.isDone || walk.entries !== ENTRIES) throw new Error('the topic is not whole')
              })
              return { 'entries a second': ENTRIES / (ms / 1000) }
            },
            leave: () => world.postern.close(),
          }
        },
      },
    ],
    goals: [{ id: 'L2', ours: 'verify entries a second', atLeast: 100_000 }],
  }
}

const FILLED_AT_ONCE = 1_000

async function fill({ store, ledger }: World, topicId: string): Promise<void> {
  const submission = { topicId, payer: '0.0.2', memo: '', mayChunk: false, message: MESSAGE }
  for (let done = 0; done < ENTRIES; done += FILLED_AT_ONCE) {
    await store.transact(async (tx) => {
      for (let at = 0; at < FILLED_AT_ONCE; at++) await ledger.within(tx).submit(submission)
    })
  }
}
