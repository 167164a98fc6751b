import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { openPostern } from '../src/host/open/open.ts'
import type { Postern } from '../src/model/postern.ts'
import { type Contest, type Contestant, type Sample, timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { type Helper, startHelper } from './processes/helper.ts'
import type { FloodOrder, FloodReport } from './processes/messages.ts'
import { holdTo, type Quota } from './quota.ts'
import type { Served } from './servers.ts'
import { serve } from './systems/postern-wired.ts'
import { makeBody } from './systems/system.ts'
import { waking } from './wake.ts'

const IN_FLIGHT = 100
const READERS = 100_000
const AGENTS = 200
/** Until nothing is compiled any more: agents and servers go on for longer than that. */
const WARM_UPS = 12
const STREAM = 'INBOX_EVENTS'

/** What the wires cost, against the engines that they go through. */
export const wires: Subject = (lab) => [
  ringing(lab, 'NATS'),
  ringing(lab, 'Redis'),
  relaying(lab),
  broadcasting(lab),
  serving(lab, FLOODED),
  serving(lab, SMALL_MACHINES),
]

/** From before the push to the body in another process, against one durable commit and one publication by hand. */
function ringing(lab: Lab, engine: 'NATS' | 'Redis'): Contest {
  const [ours, raw] = [`postern over ${engine}`, `raw SQLite + ${engine}`] as const
  return {
    title: `push → agent through ${engine}`,
    rounds: lab.quick ? 4 : 8,
    warmUps: WARM_UPS,
    contestants: [ours, raw].map((name) => waking(lab, name, lab.quick ? 40 : 80)),
    goals: [
      { id: 'X1', ours: `${ours} p50`, than: `${raw} p50`, within: 1.5 },
      { id: 'X1', ours: `${ours} p99`, than: `${raw} p99`, within: 2 },
      { id: 'X1', ours: `${ours} lost`, atMost: 0 },
    ],
  }
}

/** Whether the relay is done when the pushes are. */
function relaying(lab: Lab): Contest {
  const pushes = lab.quick ? 5_000 : 20_000
  return {
    title: `relay of ${pushes} pushes, ${IN_FLIGHT} in flight`,
    rounds: lab.quick ? 1 : 2,
    warmUps: 1,
    contestants: [relayed(lab, 'no wire', pushes, false), relayed(lab, 'NATS', pushes, true)],
    goals: [{ id: 'X2', ours: 'NATS carried', than: 'NATS acknowledged', within: 1.1 }],
  }
}

function relayed(lab: Lab, name: string, pushes: number, isWired: boolean): Contestant {
  return {
    name,
    async enter() {
      const url = await lab.nats()
      const served = await serve(lab.newFolder(), isWired ? url : undefined, { pending: 10 * pushes })
      const { postern } = served
      const names = Array.from({ length: AGENTS }, (_, i) => `agent-${i}`)
      await Promise.all(names.map((id) => postern.agents.add({ id })))
      const connection = await connect({ servers: url })
      const manager = await jetstreamManager(connection)
      const carried = async () => (isWired ? (await manager.streams.info(STREAM)).state.last_seq : 0)
      return {
        async block() {
          const before = isWired ? await settled(carried) : 0
          const startedAt = performance.now()
          await pushAll(postern, names, pushes)
          const acknowledged = performance.now() - startedAt
          while (isWired && (await carried()) < before + pushes) await sleep(2)
          const took = performance.now() - startedAt
          return { acknowledged, carried: took, 'carried a second': pushes / (took / 1000) }
        },
        async leave() {
          await connection.close()
          await served.close()
        },
      }
    },
  }
}

/** Where it stands once nothing is added any more. */
async function settled(count: () => Promise<number>): Promise<number> {
  let last = -1
  for (let now = await count().catch(() => 0); now !== last; now = await count().catch(() => 0)) {
    last = now
    await sleep(200)
  }
  return last
}

async function pushAll({ inbox }: Postern, names: readonly string[], pushes: number): Promise<void> {
  let left = pushes
  const lane = async () => {
    while (left-- > 0) await inbox.push({ to: [names[left % names.length]!], content: makeBody() })
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
}

/** One row for everybody, however many they are. */
function broadcasting(lab: Lab): Contest {
  const everybody = (name: string, open: () => Promise<Postern>): Contestant => ({
    name,
    async enter() {
      const postern = await open()
      return {
        block: () => timed(10, () => postern.inbox.push({ to: ['all'], content: makeBody() })),
        leave: () => postern.close(),
      }
    },
  })
  return {
    title: `broadcast to ${READERS} agents`,
    rounds: lab.quick ? 4 : 10,
    contestants: [
      everybody('SQLite', async () => {
        const folder = lab.newFolder()
        const postern = await openPostern({ store: join(folder, 'postern.db'), home: folder, upkeep: false })
        await addReaders((id) => postern.agents.add({ id }))
        return postern
      }),
      everybody('PostgreSQL', async () => {
        const store = await lab.database()
        const postern = await openPostern({ store, home: lab.newFolder(), upkeep: false })
        await postern.agents.add({ id: 'reader' })
        await copyReaders(store)
        return postern
      }),
    ],
    goals: ['SQLite', 'PostgreSQL'].map((ours) => ({ id: 'X3', ours, atMost: 5 })),
  }
}

async function addReaders(add: (id: string) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < READERS; done += 1_000)
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => add(`reader-${done + i}`)))
}

/** One commit for each would take minutes here, and it is not what is measured. */
async function copyReaders(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`SELECT column_name FROM information_schema.columns
    WHERE table_name = 'agents' AND table_schema = current_schema() AND is_generated = 'NEVER' AND is_identity = 'NO'`)
  const columns = rows.map(({ column_name: name }: { column_name: string }) => name)
  const own = ['id', 'display_name', 'id_skeleton', 'name_skeleton']
  const values = columns.map((name) => (own.includes(name) ? `${name} || '-' || n` : name))
  await client.query(`INSERT INTO agents (${columns.join(', ')})
    SELECT ${values.join(', ')} FROM agents, generate_series(1, ${READERS}) AS n WHERE id = 'reader'`)
  await client.query('ANALYZE agents')
  await client.end()
}

/** What two servers of one store have to share. */
interface Load {
  readonly words: string
  readonly goals: Contest['goals']
  /** The part of a core that each has for itself; undefined: all of a small machine, with their clients and PostgreSQL. */
  readonly cores?: number
}

/**
 * On two cores one server, its clients and PostgreSQL leave little room in which a second could do more, whatever it
 * is like: nothing is asked of it there (decision 0023).
 */
const FLOODED: Load = { words: 'sharing two cores', goals: [] }
/** As on machines of their own: what counts is whether they wait for each other. */
const SMALL_MACHINES: Load = {
  words: 'with a quarter of a core each',
  cores: 0.25,
  goals: [{ id: 'X4', ours: 'two servers', than: 'one server', faster: 1.6 }],
}

function serving(lab: Lab, load: Load): Contest {
  return {
    title: `HTTP push, servers on PostgreSQL, ${load.words}`,
    rounds: lab.quick ? 2 : 5,
    contestants: [served(lab, 1, load), served(lab, 2, load)],
    goals: load.goals,
  }
}

const CLIENTS = 2
const FLOOD_MS = 2_000

function served(lab: Lab, servers: 1 | 2, { cores }: Load): Contestant {
  return {
    name: servers === 1 ? 'one server' : 'two servers',
    async enter() {
      const store = await lab.database()
      const postern = await openPostern({ store, home: lab.newFolder(), upkeep: false })
      for (let i = 0; i < AGENTS; i++) await postern.agents.add({ id: `agent-${i}` })
      await postern.close()
      const started: Served[] = []
      for (let i = 0; i < servers; i++) started.push(await lab.serve(lab.newFolder(), { POSTERN_STORE: store }))
      const quotas: Quota[] = cores === undefined ? [] : started.map(({ pid }) => holdTo(pid, cores))
      const clients: Helper<FloodOrder, FloodReport>[] = []
      for (let i = 0; i < CLIENTS; i++) {
        const { place } = started[i % servers]!
        clients.push(await startHelper('flooder', { system: 'postern served', place }))
      }
      return {
        block: () => flood(clients),
        async leave() {
          await Promise.all([...clients, ...started].map((each) => each.stop()))
          for (const quota of quotas) quota.remove()
        },
      }
    },
  }
}

/** Milliseconds of one push, all clients together, and how many of the machine's cores were at work. */
async function flood(clients: readonly Helper<FloodOrder, FloodReport>[]): Promise<Sample> {
  const before = coreMs()
  for (const client of clients) client.send({ inFlight: IN_FLIGHT / CLIENTS, forMs: FLOOD_MS, agents: AGENTS })
  const reports = await Promise.all(clients.map((client) => client.report()))
  const cores = (coreMs() - before) / FLOOD_MS
  return { '': FLOOD_MS / reports.reduce((sum, { done }) => sum + done, 0), 'cores at work': cores }
}

/** Of all cores together, since the machine started. */
function coreMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}
