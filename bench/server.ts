import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openLocal } from '../test/helpers/open-local.ts'
import { type Contest, type Contestant, percentile, type Sample, timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { type Helper, startHelper } from './processes/helper.ts'
import type { WriterOrder, WriterReport } from './processes/messages.ts'
import { Requests } from './requests.ts'
import { makeBody } from './systems/system.ts'
import { waking } from './wake.ts'

const BIN = fileURLToPath(new URL('../bin/postern.cjs', import.meta.url))
const IN_FLIGHT = 64
const AGENTS = 500
const WAITING = 50_000
const WRITERS = 8
const CLIENTS = 256
const MIB = 1024 * 1024
/** Until nothing is compiled any more, which takes a server some 30,000 pushes: it goes on for longer than that. */
const WARM_FLOODS = 15
const WARM_UPS = 5

/** What the server costs, against the raw store that it stands before. */
export const server: Subject = (lab) => [
  pushing(lab),
  saturated(lab),
  waiting(lab),
  hooks(lab),
  starting(lab),
  stalled(lab),
  sustained(lab),
]

function pushing(lab: Lab): Contest {
  const pushes = lab.quick ? 500 : 2_000
  return {
    title: `HTTP push, ${IN_FLIGHT} in flight`,
    rounds: lab.quick ? 2 : 4,
    warmUps: WARM_FLOODS,
    contestants: [
      lab.contestant('raw SQLite', (system) => () => timed(pushes / 4, () => system.push(makeBody()))),
      flooding(lab, 'postern', { pushes, agents: 8, waiting: 0 }),
      flooding(lab, `postern, ${AGENTS} agents`, { pushes, agents: AGENTS, waiting: WAITING }),
    ],
    goals: ['postern', `postern, ${AGENTS} agents`].flatMap((ours) => [
      { id: 'S1', ours: `${ours} push`, than: 'raw SQLite', faster: 2 },
      { id: 'S1', ours: `${ours} p99`, atMost: 50 },
    ]),
  }
}

interface Flood {
  readonly pushes: number
  readonly agents: number
  readonly waiting: number
}

function flooding(lab: Lab, name: string, { pushes, agents, waiting: waits }: Flood): Contestant {
  return {
    name,
    async enter() {
      const home = lab.newFolder()
      await fill(home, agents, waits)
      const served = await lab.serve(home)
      const requests = new Requests(served, IN_FLIGHT)
      let count = 0
      const push = () => requests.post('/api/v1/inbox', { to: [agentName(count++ % agents)], content: makeBody() })
      return {
        async block() {
          const took: number[] = []
          const startedAt = performance.now()
          let left = pushes
          const lane = async () => {
            while (left-- > 0) took.push(await accepted(push))
          }
          await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
          const ms = (performance.now() - startedAt) / pushes
          await empty(home, agents)
          return { push: ms, p99: percentile(took, 0.99) }
        },
        async leave() {
          requests.close()
          await served.stop()
        },
      }
    },
  }
}

async function accepted(call: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const status = await call()
  if (status >= 300) throw new Error(`the server answered with ${status}`)
  return performance.now() - startedAt
}

/** What was waiting stays; only the places that floods would fill up are given back. */
async function empty(home: string, agents: number): Promise<void> {
  if (agents === AGENTS) return
  const postern = await openLocal(join(home, 'postern.db'), { upkeep: false })
  for (let i = 0; i < agents; i++) {
    const { offer } = await postern.inbox.drain({ agent: agentName(i), maxMessages: 10_000 })
    if (offer) await postern.inbox.confirm({ offerId: offer.id, evidence: 'read', printed: true })
  }
  await postern.close()
}

function agentName(index: number): string {
  return `agent-${index}`
}

async function fill(home: string, agents: number, messages: number): Promise<void> {
  const postern = await openLocal(join(home, 'postern.db'), { upkeep: false })
  await Promise.all(Array.from({ length: agents }, (_, i) => postern.agents.add({ id: agentName(i) })))
  for (let done = 0; done < messages; done += 5_000) {
    const batch = Array.from({ length: 5_000 }, (_, i) => ({ to: [agentName(i % agents)], content: makeBody() }))
    await postern.inbox.pushMany({ messages: batch })
  }
  await postern.close()
}

/** P5, through the server: processes that push as fast as they are answered. */
function saturated(lab: Lab): Contest {
  const crew = (name: string, count: number): Contestant => ({
    name,
    async enter() {
      const place = await lab.placeFor('postern served')
      const writers: Helper<WriterOrder, WriterReport>[] = []
      for (let lane = 0; lane < count; lane++)
        writers.push(
          await startHelper('writer', {
            system: 'postern served',
            place,
            options: { lane },
          }),
        )
      return {
        block: async () => saturate(writers),
        leave: async () => void (await Promise.all(writers.map((writer) => writer.stop()))),
      }
    },
  })
  return {
    title: 'writers through the server, as fast as they can',
    rounds: lab.quick ? 2 : 4,
    contestants: [crew('1 writer', 1), crew('2 writers', 2), crew(`${WRITERS} writers`, WRITERS)],
    goals: [
      { id: 'P5', ours: `${WRITERS} writers p99`, atMost: 10 },
      { id: 'P5', ours: `${WRITERS} writers fairness`, atLeast: 0.7 },
      { id: 'P5', ours: `${WRITERS} writers push`, than: '2 writers push', faster: 1 },
      { id: 'P5', ours: '2 writers push', than: '1 writer push', faster: 1 },
    ],
  }
}

const SATURATED_MS = 2_000

async function saturate(writers: readonly { send(order: WriterOrder): void; report(): Promise<WriterReport> }[]) {
  for (const writer of writers) writer.send({ periodMs: 0, forMs: SATURATED_MS })
  const reports = await Promise.all(writers.map((writer) => writer.report()))
  const counts = reports.map(({ took }) => took.length)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return {
    push: SATURATED_MS / total,
    p99: Math.max(...reports.map(({ took }) => percentile(took, 0.99))),
    fairness: Math.min(...counts) / Math.max(...counts),
  }
}

/** From before the push in one process to whoever waits for it in another. */
function waiting(lab: Lab): Contest {
  const wakes = lab.quick ? 50 : 100
  const names = ['raw SQLite', 'postern agent()', 'postern served', 'postern followed'] as const
  return {
    title: 'wake',
    rounds: lab.quick ? 3 : 6,
    warmUps: WARM_UPS,
    contestants: names.map((name) => waking(lab, name, wakes)),
    goals: (['postern agent()', 'postern followed'] as const).flatMap((ours) => [
      { id: 'W3', ours: `${ours} p50`, than: 'raw SQLite p50', within: 2 },
      { id: 'W3', ours: `${ours} lost`, atMost: 0 },
    ]),
  }
}

/** One alone, right after a process has been started beside it, would tell of the caches that this has emptied. */
const HOOKS_A_BLOCK = 20

/** H4: an event of a host that goes straight to the server. */
function hooks(lab: Lab): Contest {
  const node = 'node -e 0'
  return {
    title: 'hook over HTTP',
    rounds: lab.quick ? 10 : 30,
    contestants: [
      { name: node, enter: async () => ({ block: () => spawnOnce() }) },
      {
        name: 'http hook',
        async enter() {
          const home = lab.newFolder()
          await fill(home, 1, 0)
          const served = await lab.serve(home)
          const requests = new Requests(served, 1)
          const path = `/api/v1/hooks/claude-code?agent=${agentName(0)}`
          const body = { hook_event_name: 'PostToolBatch', session_id: 'bench', cwd: home, tool_calls: [] }
          await accepted(() => requests.post(path, body))
          return {
            async block() {
              const took: number[] = []
              for (let i = 0; i < HOOKS_A_BLOCK; i++) took.push(await accepted(() => requests.post(path, body)))
              return percentile(took, 0.5)
            },
            async leave() {
              requests.close()
              await served.stop()
            },
          }
        },
      },
    ],
    goals: [
      { id: 'H4', ours: 'http hook', than: node, within: 0.03 },
      { id: 'H4', ours: 'http hook', atMost: 1 },
    ],
  }
}

function spawnOnce(): number {
  const startedAt = performance.now()
  execFileSync(process.execPath, ['-e', '0'])
  return performance.now() - startedAt
}

/** From the start of the process to the first answer. */
function starting(lab: Lab): Contest {
  return {
    title: 'start',
    rounds: lab.quick ? 3 : 7,
    contestants: [
      {
        name: 'first answer',
        async enter() {
          const home = lab.newFolder()
          await fill(home, 8, 0)
          return { block: () => startOnce(home) }
        },
      },
    ],
    goals: [{ id: 'S2', ours: 'first answer', atMost: 400 }],
  }
}

async function startOnce(home: string): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json'], {
    env: { ...process.env, POSTERN_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(line.toString()) as { readonly url: string }
  const { status } = await fetch(`${url}/healthz`)
  const ms = performance.now() - startedAt
  child.kill('SIGTERM')
  await once(child, 'exit')
  if (status !== 200) throw new Error(`the server answered with ${status}`)
  return ms
}

/** Clients of the stream of events, half of which never read what they are sent. */
function stalled(lab: Lab): Contest {
  return {
    title: `${CLIENTS} followers, half of them stalled`,
    rounds: 1,
    warmUps: 0,
    contestants: [
      {
        name: 'server',
        async enter() {
          const home = lab.newFolder()
          await fill(home, 8, 0)
          const served = await lab.serve(home)
          return { block: () => flood(served), leave: () => served.stop() }
        },
      },
    ],
    goals: [{ id: 'S3', ours: 'server MiB', atMost: 256 }],
  }

  async function flood(served: Awaited<ReturnType<Lab['serve']>>): Promise<Sample> {
    const requests = new Requests(served, IN_FLIGHT)
    const followers = await Promise.all(Array.from({ length: CLIENTS }, () => requests.follow()))
    followers.forEach((follower, i) => {
      if (i % 2 === 0) follower.resume()
      follower.on('error', () => {})
    })
    let most = 0
    for (let i = 0; i < (lab.quick ? 50 : 200); i++) {
      await Promise.all(
        Array.from({ length: IN_FLIGHT }, (_, at) =>
          accepted(() => requests.post('/api/v1/inbox', { to: [agentName(at % 8)], content: makeBody() })),
        ),
      )
      most = Math.max(most, memoryOf(served.pid))
    }
    for (const follower of followers) follower.destroy()
    requests.close()
    return { MiB: most / MIB }
  }
}

function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

const PER_SECOND = 500

/** So many acknowledged pushes a second, for two minutes in a full run, with memory flat after the first third. */
function sustained(lab: Lab): Contest {
  const seconds = lab.full ? 120 : lab.quick ? 6 : 30
  return {
    title: `${PER_SECOND} pushes a second for ${seconds} s`,
    rounds: 1,
    warmUps: 0,
    contestants: [
      {
        name: 'server',
        async enter() {
          const home = lab.newFolder()
          await fill(home, AGENTS, WAITING)
          const served = await lab.serve(home)
          return { block: () => keepUp(served), leave: () => served.stop() }
        },
      },
    ],
    goals: [
      { id: 'S4', ours: 'server kept up', atLeast: 1 },
      { id: 'S4', ours: 'server growth', atMost: 1.2 },
    ],
  }

  async function keepUp(served: Awaited<ReturnType<Lab['serve']>>): Promise<Sample> {
    const requests = new Requests(served, IN_FLIGHT)
    const startedAt = performance.now()
    const memory: number[] = []
    let done = 0
    for (let sent = 0; sent < seconds * PER_SECOND; sent += 10) {
      const early = startedAt + (sent / PER_SECOND) * 1000 - performance.now()
      if (early > 0) await sleep(early)
      const batch = Array.from({ length: 10 }, (_, at) =>
        accepted(() => requests.post('/api/v1/inbox', { to: [agentName((sent + at) % AGENTS)], content: makeBody() })),
      )
      await Promise.all(batch)
      done += batch.length
      memory.push(memoryOf(served.pid))
    }
    const inTime = (seconds * 1000) / (performance.now() - startedAt)
    requests.close()
    const third = memory.slice(Math.floor(memory.length / 3), Math.floor(memory.length / 3) * 2)
    const last = memory.slice(Math.floor(memory.length / 3) * 2)
    const keptUp = done === seconds * PER_SECOND && inTime > 0.98 ? 1 : inTime
    return { 'kept up': keptUp, growth: Math.max(...last) / Math.max(...third) }
  }
}
