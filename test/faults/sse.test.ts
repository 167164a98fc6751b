import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { ListEvents } from '../../src/model/network/events.ts'
import type { Postern } from '../../src/model/postern.ts'
import { openLocal } from '../helpers/open-local.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL, TIER } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { makeHome, storeOf } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { checkStream, startFollower } from './harness/sse-followers.ts'
import { startMortalServer } from './harness/sse-servers.ts'
import { readErrors, startWorker } from './harness/workers.ts'

/** How often the server is killed. */
const KILLS = { quick: 1, full: 6, long: 1_200, most: 10 }
const CLEAN = { skipped: [], repeated: [], reordered: [], unexpected: [] }

campaign('sends every client all that it may see and wants, once and in order, whatever dies', KILLS, async (kills) => {
  verifies('sse.invariants')
  const { findings, told, connections } = await followThrough({ kills })
  figures('event streams', `${kills} kills of the server, ${connections} connections, ${told} events told`)
  for (const found of findings) expect(found).toEqual(CLEAN)
  expect(told).toBeGreaterThan(kills < KILLS.full ? 0 : 500)
  expect(connections).toBeGreaterThanOrEqual(findings.length * Math.min(kills, 6))
})

it('finds a planted hub that drops an event now and then', FULL, async () => {
  const { findings } = await followThrough({ kills: 0, plant: 'drop-one' })
  expect(findings.flatMap(({ skipped }) => skipped).length).toBeGreaterThan(0)
})

interface Trouble {
  readonly kills: number
  readonly plant?: 'drop-one'
}

/** Each filter as a query, as the same input, and whose token asks. */
const FILTERS: readonly { readonly query: string; readonly input: ListEvents; readonly agent?: string }[] = [
  { query: '', input: {} },
  { query: '', input: {} },
  { query: '?types=message.*,agent.added', input: { types: ['message.*', 'agent.added'] } },
  { query: '?types=delivery.seen,agent.added', input: { types: ['delivery.seen', 'agent.added'] } },
  { query: '?agent=robin', input: { agent: 'robin' } },
  { query: '', input: {}, agent: 'robin' },
]

/** Processes write and drain, clients follow and are cut off, and the server is killed in between. */
async function followThrough({ kills, plant }: Trouble) {
  const folder = temporaryFolder()
  const home = makeHome(join(folder, 'home'))
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  const postern = await openLocal(storeOf(home), { upkeep: false })
  onTestFinished(() => postern.close())
  for (const id of ['quinn', 'robin']) await postern.agents.add({ id })
  const admin = `pst_${randomBytes(32).toString('base64url')}`
  const { token: ofRobin } = await postern.tokens.create({ scope: 'agent:robin' })
  const { cursor: from } = await postern.events.list()
  const server = await startMortalServer({ home, token: admin, beatMs: 50, ...(plant && { plant }) })

  const workers = (['writer', 'writer', 'drainer'] as const).map((role) =>
    startWorker(role, { store: storeOf(home), logs, paceMs: 6 }),
  )
  const followers = FILTERS.map(({ query, agent }) =>
    startFollower({ url: server.url, token: agent ? ofRobin : admin, query, from, random: Math.random }),
  )
  const following = followers.map((follower) => follower.until('the-end'))
  for (let kill = 0; kill < kills; kill++) {
    await delay(100 + Math.random() * 700)
    await server.kill()
    await server.restart()
  }
  if (kills === 0) await delay(2_500)
  await Promise.all(workers.map((worker) => worker.stop()))
  await postern.agents.add({ id: 'the-end' })
  await Promise.all(following)

  expect(readErrors(logs)).toEqual([])
  const findings = await Promise.all(
    FILTERS.map(async ({ input, agent }, at) => {
      const who = agent ? postern.as({ id: agent, kind: 'ai', verified: true, via: 'http' }) : postern
      return checkStream(await everythingAfter(who, from, input), followers[at]?.seen ?? [])
    }),
  )
  const connections = followers.reduce((sum, follower) => sum + follower.connections, 0)
  return { findings, told: followers[0]?.seen.length ?? 0, connections }
}

async function everythingAfter(postern: Postern, from: string, input: ListEvents): Promise<string[]> {
  const cursors: string[] = []
  for (let after = from; ; ) {
    const page = await postern.events.list({ ...input, after, limit: 1_000 })
    cursors.push(...page.items.map(({ cursor }) => cursor))
    if (!page.hasMore) return cursors
    after = page.cursor
  }
}

const CLIENTS = 300
const PLACES = 256
/** A server queues 128 KB for a client, and the bundle that passes this mark. */
const MAX_QUEUED_BYTES = 256 * 1024
/** About a kilobyte each: far more than a server may queue for a client, and than the kernel's buffers take. */
const MESSAGES = { quick: 6_000, full: 6_000, long: 6_000 }
/** One client in so many reads what it is sent. */
const SERVED_OF = TIER === 'quick' ? 30 : 2
const BATCH = 500

campaign('queues little for clients that stop reading, and serves the others', MESSAGES, async (count) => {
  verifies('sse.bounded')
  const { postern, server, clients } = await connectMany(CLIENTS)
  expect(clients.filter(({ status }) => status === 200)).toHaveLength(PLACES)
  expect(clients.filter(({ status }) => status === 429)).toHaveLength(CLIENTS - PLACES)

  await pushMany(postern, count)
  const served = clients.filter(({ status, isStalled }) => status === 200 && !isStalled)
  expect(served.length).toBeGreaterThan(PLACES / SERVED_OF / 2)
  await Promise.all(served.map((client) => client.until(count)))
  for (const { heard, isOrdered } of served) expect({ heard, isOrdered }).toEqual({ heard: count, isOrdered: true })
  const most = await server.mostQueuedBytes()
  figures(
    'event streams',
    `${PLACES} clients, ${served.length} of them served: ${most >> 10} KB queued for one at most`,
  )
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(MAX_QUEUED_BYTES)
})

it('finds a planted stream that never sees its queue as full', async () => {
  const { postern, server, clients } = await connectMany(4, 'never-full')
  await pushMany(postern, MESSAGES.quick)
  await Promise.all(clients.filter(({ isStalled }) => !isStalled).map((client) => client.until(MESSAGES.quick)))
  expect(await server.mostQueuedBytes()).toBeGreaterThan(MAX_QUEUED_BYTES)
})

/** A server and so many clients, most of which stop reading at once. */
async function connectMany(count: number, plant?: 'never-full') {
  const home = makeHome(join(temporaryFolder(), 'home'))
  const postern = await openLocal(storeOf(home), { upkeep: false })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  const token = `pst_${randomBytes(32).toString('base64url')}`
  const server = await startMortalServer({ home, token, beatMs: 5_000, ...(plant && { plant }) })
  const clients = await Promise.all(
    Array.from({ length: count }, (_, at) => connectLightly(server.url, token, at % SERVED_OF > 0)),
  )
  onTestFinished(() => {
    for (const client of clients) client.close()
  })
  return { postern, server, clients }
}

async function pushMany(postern: Postern, count: number): Promise<void> {
  const subject = 'x'.repeat(1_000)
  for (let sent = 0; sent < count; sent += BATCH) {
    const messages = Array.from({ length: BATCH }, (_, i) => ({ to: ['quinn'], subject, content: `${sent + i}` }))
    await postern.inbox.pushMany({ messages })
  }
}

interface LightClient {
  readonly status: number
  readonly isStalled: boolean
  /** How many messages it was told of. */
  readonly heard: number
  /** Whether every id was greater than the one before. */
  readonly isOrdered: boolean
  until(count: number): Promise<void>
  close(): void
}

/** A client that remembers next to nothing, because there are many of them in this one process. */
function connectLightly(url: string, token: string, isStalled: boolean): Promise<LightClient> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const asking = request(`${url}/api/v1/events`, { headers, agent: false }, (response) => {
      const waiting = new Set<() => void>()
      let [rest, lastId, heard, isOrdered] = ['', '', 0, true]
      const read = (line: string) => {
        if (line.startsWith('id: ')) {
          isOrdered &&= line > lastId
          lastId = line
        }
        if (line === 'event: message.created') heard++
      }
      if (isStalled && response.statusCode === 200) response.pause()
      else
        response.setEncoding('latin1').on('data', (piece: string) => {
          const lines = (rest + piece).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) read(line)
          for (const look of waiting) look()
        })
      response.on('error', () => {})
      response.on('close', () => {
        for (const look of waiting) look()
      })
      resolve({
        status: response.statusCode ?? 0,
        isStalled,
        get heard() {
          return heard
        },
        get isOrdered() {
          return isOrdered
        },
        until: (wanted) =>
          new Promise((done, fail) => {
            const look = () => {
              if (heard >= wanted) done()
              else if (response.destroyed) fail(new Error(`it was dropped after ${heard}`))
            }
            waiting.add(look)
            look()
          }),
        close: () => void asking.destroy(),
      })
    })
    asking.on('error', reject)
    asking.end()
  })
}
