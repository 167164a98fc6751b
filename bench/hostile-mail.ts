import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openLocal } from '../test/helpers/open-local.ts'
import { type Contestant, percentile, type Sample } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { Requests } from './requests.ts'
import type { Served } from './servers.ts'
import { makeBody } from './systems/system.ts'

const MESSAGES = 200
/** 64 KB that grow eighteenfold where look-alikes are folded. */
const EXPENSIVE = '\ufdfa'.repeat(21_845)
const PROBES = 20

/** M1: what others wait for on a server that drains the most expensive mail: `/healthz`, and a push to another agent. */
export const hostileMail: Subject = (lab) => {
  const rounds = lab.quick ? 3 : 8
  return [
    {
      title: `beside a drain of ${MESSAGES} critical messages of 64 KB U+FDFA`,
      rounds,
      warmUps: 1,
      contestants: [
        contestant(lab, 'no drain', { inboxes: 0 }, probe),
        contestant(lab, 'drain', { inboxes: rounds * 3 + 1 }, probeBesideDrain),
      ],
      goals: [
        { id: 'M1', ours: 'drain healthz', atMost: 100 },
        { id: 'M1', ours: 'drain push', atMost: 100 },
      ],
    },
  ]
}

interface Scene {
  readonly served: Served
  readonly requests: Requests
  /** The next inbox that nobody has drained. */
  nextAgent(): string
}

type Block = (scene: Scene) => Promise<Sample>

function contestant(lab: Lab, name: string, { inboxes }: { readonly inboxes: number }, block: Block): Contestant {
  return {
    name,
    async enter() {
      const home = lab.newFolder()
      await fill(home, inboxes)
      const served = await lab.serve(home)
      const requests = new Requests(served, 2)
      let drained = 0
      const scene = { served, requests, nextAgent: () => `heavy-${drained++}` }
      const leave = async () => {
        requests.close()
        await served.stop()
      }
      return { block: () => block(scene), leave }
    },
  }
}

async function fill(home: string, inboxes: number): Promise<void> {
  const postern = await openLocal(join(home, 'postern.db'))
  await postern.agents.add({ id: 'light' })
  for (let inbox = 0; inbox < inboxes; inbox++) {
    const id = `heavy-${inbox}`
    await postern.agents.add({ id })
    const message = { to: [id], content: EXPENSIVE, priority: 0 } as const
    await postern.inbox.pushMany({ messages: Array.from({ length: MESSAGES }, () => message) })
  }
  await postern.close()
}

/** Medians of a few requests, one after the other. */
async function probe(scene: Scene): Promise<Sample> {
  const times = await probeUntil(scene, (count) => count >= PROBES)
  return mediansOf(times)
}

async function probeBesideDrain(scene: Scene): Promise<Sample> {
  const startedAt = performance.now()
  let tookMs: number | undefined
  const drain = drainElsewhere(scene).then((status) => {
    if (status !== '200') throw new Error(`the drain was answered ${status}`)
    tookMs = performance.now() - startedAt
  })
  const times = await probeUntil(scene, () => tookMs !== undefined)
  await drain
  return { ...mediansOf(times), itself: tookMs ?? 0 }
}

/** The answer has many megabytes. Another process takes it, so that it does not keep this one from measuring. */
async function drainElsewhere({ served, nextAgent }: Scene): Promise<string> {
  const body = JSON.stringify({ agent: nextAgent() })
  const to = ['-o', '/dev/null', '-w', '%{http_code}', `${served.url}/api/v1/inbox/drain`]
  const curl = spawn('curl', ['-sS', '-H', '@-', '-H', 'content-type: application/json', '-d', body, ...to])
  curl.stdin.end(`Authorization: Bearer ${served.token}\n`)
  return text(curl.stdout)
}

interface Times {
  readonly healthz: number[]
  readonly push: number[]
}

async function probeUntil({ served, requests }: Scene, isDone: (count: number) => boolean): Promise<Times> {
  const times: Times = { healthz: [], push: [] }
  do {
    times.healthz.push(await timeOf(async () => (await fetch(`${served.url}/healthz`)).arrayBuffer()))
    times.push.push(await timeOf(() => requests.post('/api/v1/inbox', { to: ['light'], content: makeBody() })))
  } while (!isDone(times.push.length))
  return times
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

function mediansOf({ healthz, push }: Times): Record<string, number> {
  return { healthz: percentile(healthz, 0.5), push: percentile(push, 0.5), 'healthz worst': Math.max(...healthz) }
}
