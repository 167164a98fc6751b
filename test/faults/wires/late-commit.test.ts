import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, onTestFinished } from 'vitest'
import type { Postern } from '../../../src/model/postern.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { itemFor } from '../../helpers/postgres-store.ts'
import { campaign } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { figures } from '../harness/need.ts'
import { checkStream, startFollower } from '../harness/sse-followers.ts'
import { everythingAfter, followEvents, followInbox } from './harness/following.ts'
import { conservationFault, NEEDS_POSTGRES, newDatabase, openOn, serveOn } from './harness/postgres-world.ts'

const ROUNDS = { quick: 1, full: 25, long: 3_000, most: 50 }
/** Who is pushed to by transactions that stay open, and who by everybody else. */
const [SLOW, QUICK] = [
  ['ada', 'bob'],
  ['quinn', 'rex'],
]
const LONGEST_HOLD_MS = 60
const CLEAN = { skipped: [], repeated: [], reordered: [], unexpected: [] }

describe('messages that commit late with lower numbers', NEEDS_POSTGRES, () => {
  campaign('a reader that follows a cursor gets each message that commits late exactly once', ROUNDS, followLateCommits)
})

async function followLateCommits(rounds: number): Promise<void> {
  verifies('B2.late-commit')
  const url = await newDatabase()
  const postern = await openOn(url)
  for (const id of [...SLOW, ...QUICK]) await postern.agents.add({ id })
  const { url: http, token } = await serveOn(url)
  const store = await openPostgresStore({ url, random: Math.random })
  onTestFinished(() => store.close())
  const { cursor: from } = await postern.events.list()
  const naive = await startNaiveReader(url)

  const streaming = startFollower({ url: http, token, query: '', from, random: Math.random })
  const streamed = streaming.until('the-end')
  const following = Promise.all([
    followEvents(postern, from, 'the-end'),
    followEvents(await openOn(url), from, 'the-end'),
  ])
  const inboxes = [...SLOW, ...QUICK].map((agent) => followInbox(postern, agent, 'the end'))
  const late = await makeTraffic(postern, store, rounds)
  for (const agent of [...SLOW, ...QUICK]) await postern.inbox.push({ to: [agent], content: 'the end' })
  await postern.agents.add({ id: 'the-end' })
  await streamed
  const { cursors, created } = await everythingAfter(postern, from)
  for (const seen of [...(await following), streaming.seen]) expect(checkStream(cursors, seen)).toEqual(CLEAN)
  expect(created.filter((id) => late.includes(id)).toSorted()).toEqual(late.toSorted())
  for (const [at, agent] of [...SLOW, ...QUICK].entries()) {
    const { items } = await postern.inbox.list({ agent, which: 'all', limit: 1_000 })
    expect(await inboxes[at], agent).toEqual(items.map(({ content }) => content))
  }
  expect(await conservationFault(postern)).toBeNull()
  const skipped = await naive.skipped()
  figures(
    'late commits',
    `${late.length} of ${created.length} messages committed late; a naive reader skips ${skipped}`,
  )
  // The harness can tell: numbers really are overtaken, and whoever goes by them alone does not see all.
  expect(skipped).toBeGreaterThan(0)
}

/** Some push while transactions of others, which had their numbers before, are still open. Returns what was late. */
async function makeTraffic(postern: Postern, store: Store, rounds: number): Promise<string[]> {
  const late: string[] = []
  for (let round = 0; round < rounds; round++) {
    const held = SLOW.map((agent) => pushLate(store, agent, `late ${round}`))
    await Promise.all(held.map(({ hasPushed }) => hasPushed))
    const waiting = SLOW.map((agent) => postern.inbox.push({ to: [agent], content: `behind it ${round}` }))
    await Promise.all(
      QUICK.map(async (agent) => {
        for (let i = 0; i < 3; i++) await postern.inbox.push({ to: [agent], content: `${round} ${i}` })
      }),
    )
    late.push(...(await Promise.all(held.map(({ end }) => end()))))
    await Promise.all(waiting)
  }
  return late
}

/** A push whose transaction stays open for a while after it was made. */
function pushLate(store: Store, agent: string, content: string) {
  const item = itemFor([agent], { content })
  const [pushed, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = store.transact(async (tx) => {
    await tx.messages.push({ items: [item], pendingLimit: 1_000_000 })
    pushed.resolve()
    await released.promise
  })
  done.catch(pushed.reject)
  return {
    hasPushed: pushed.promise,
    async end() {
      await delay(Math.random() * LONGEST_HOLD_MS)
      released.resolve()
      await done
      return item.message.id
    },
  }
}

/** Reads messages by their numbers, as one would who does not know better. */
async function startNaiveReader(url: string) {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end().catch(() => {}))
  const seen = new Set<string>()
  let isOver = false
  let last = '0'
  const read = async () => {
    const { rows } = await client.query('SELECT seq, id FROM messages WHERE seq > $1 ORDER BY seq', [last])
    for (const { seq, id } of rows) {
      seen.add(id)
      last = seq
    }
  }
  const reading = (async () => {
    while (!isOver) await read()
  })()
  return {
    async skipped(): Promise<number> {
      isOver = true
      await reading
      await read()
      const { rows } = await client.query('SELECT id FROM messages')
      return rows.filter(({ id }) => !seen.has(id)).length
    },
  }
}
