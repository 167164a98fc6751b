import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Postern } from '../../../src/model/postern.ts'
import { type ServeProcess, startServe } from '../../helpers/http-server.ts'
import { needsPrograms } from '../../helpers/needs.ts'
import { type RedisServer, startRedis } from '../../helpers/redis.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { figures } from '../harness/need.ts'
import { newDatabase, openOn } from './harness/postgres-world.ts'

/** How often servers are killed. */
const KILLS = { quick: 1, full: 2, long: 800, most: 10 }
const MUST_CATCH_UP_MS = 30_000
const BATCH = 20
/** Nobody drains, and an inbox has room for 10,000: what comes beyond that waits in its list. */
const MOST = 8_000

const PROGRAMS = needsPrograms('initdb', 'redis-server', 'redis-cli')

describe('foreign lists', PROGRAMS, () => {
  campaign(
    'foreign lists lose nothing, repeat nothing and keep their order though servers are killed',
    KILLS,
    async (kills) => {
      verifies('S001.redis.kills')
      const world = await openWorld()
      const { pushed, sent, popped, taken, caughtUpMs } = await trade(world, { kills })
      figures('foreign lists', `${pushed.length} in, ${sent.length} out, ${kills} kills, caught up in ${caughtUpMs} ms`)
      expect(taken).toEqual(pushed)
      expect(popped).toEqual(sent)
      expect(caughtUpMs).toBeLessThanOrEqual(MUST_CATCH_UP_MS)
    },
  )
})

it('finds a planted thief who pops from a list before it is read', { ...FULL, ...PROGRAMS }, async () => {
  const world = await openWorld()
  const { pushed, sent, popped, taken } = await trade(world, { kills: 0, hasThief: true })
  expect(taken).toEqual(pushed.slice(1))
  expect(popped).toEqual(sent.slice(1))
})

interface World {
  readonly redis: RedisServer
  readonly store: Postern
  readonly servers: ServeProcess[]
  start(at: number): Promise<ServeProcess>
}

/** Two servers on one store; `quinn` gets what others push, and others pop what is for `riley`. */
async function openWorld(): Promise<World> {
  const redis = (await startRedis()) as RedisServer
  onTestFinished(() => redis.stop())
  const database = await newDatabase()
  const store = await openOn(database)
  for (const id of ['quinn', 'riley']) await store.agents.add({ id })
  const homes = [temporaryFolder(), temporaryFolder()]
  const wire = { url: redis.url, redisOut: ['riley'], redisOutMax: 50 }
  for (const home of homes) writeFileSync(join(home, 'config.json'), JSON.stringify({ store: database, wire }))
  const start = (at: number) => startServe({ home: homes[at] ?? '' })
  const servers = await Promise.all([start(0), start(1)])
  return { redis, store, start, servers }
}

interface Trade {
  readonly kills: number
  readonly hasThief?: boolean
}

async function trade(world: World, { kills, hasThief = false }: Trade) {
  const { redis, store } = world
  const popped: string[] = []
  if (hasThief) await steal(world)
  const consumer = startConsumer(redis, (content) => popped.push(content))
  let isOver = false
  const killing = killServers(world, kills).finally(() => {
    isOver = true
  })
  const [pushed, sent]: [string[], string[]] = hasThief ? [['stolen'], ['stolen']] : [[], []]
  for (let at = 0; !isOver || at < 10; at++) {
    if (pushed.length >= MOST) {
      await delay(10)
      continue
    }
    const contents = Array.from({ length: BATCH }, (_, of) => `${at * BATCH + of}`)
    await redis.cli('LPUSH', 'inbox:quinn', ...contents.map(eventOf))
    pushed.push(...contents)
    await store.inbox.push({ to: ['riley'], content: `${at}` })
    sent.push(`${at}`)
  }
  await killing
  const caughtUpMs = await catchUp(world)
  await consumer.stop()
  return { pushed, sent, popped, taken: await contentsOf(store), caughtUpMs }
}

/** Pops what somebody has just pushed, and what was put out for the consumer, before either is read. */
async function steal({ redis, store }: World): Promise<void> {
  const script = "redis.call('LPUSH', KEYS[1], ARGV[1]) return redis.call('LPOP', KEYS[1])"
  await redis.cli('EVAL', script, '1', 'inbox:quinn', eventOf('stolen'))
  await store.inbox.push({ to: ['riley'], content: 'stolen' })
  await redis.cli('BRPOP', 'inbox:riley', '30')
}

function eventOf(content: string): string {
  return JSON.stringify({ eventId: `evt-${content}`, type: 'event', data: { content } })
}

async function killServers({ servers, start }: World, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await delay(500)
    const at = kill % servers.length
    await servers[at]?.stop('SIGKILL')
    servers[at] = await start(at)
  }
}

function startConsumer(redis: RedisServer, onContent: (content: string) => void) {
  let isOver = false
  const run = async () => {
    while (!isOver) {
      const [, text] = (await redis.cli('BRPOP', 'inbox:riley', '0.2')).split('\n')
      if (text) onContent(JSON.parse(text).data.content)
    }
  }
  const ended = run()
  const stop = () => {
    isOver = true
    return ended
  }
  onTestFinished(stop)
  return { stop }
}

/** How long it takes until no list holds anything and nothing waits for the consumer. */
async function catchUp({ redis, store }: World): Promise<number> {
  const begunAt = performance.now()
  const patience = { timeout: 2 * MUST_CATCH_UP_MS, interval: 100 }
  await expect.poll(() => redis.cli('EXISTS', 'inbox:quinn', 'inbox:quinn:taking'), patience).toBe('0')
  const waiting = async () => (await store.agents.show({ id: 'riley' })).pending
  await expect.poll(waiting, patience).toBe(0)
  return Math.round(performance.now() - begunAt)
}

async function contentsOf(store: Postern): Promise<string[]> {
  const contents: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const range = after === undefined ? {} : { after }
    const page = await store.inbox.list({ agent: 'quinn', which: 'all', limit: 1_000, ...range })
    contents.push(...page.items.map(({ content }) => content))
    after = page.next
  }
  return contents
}
