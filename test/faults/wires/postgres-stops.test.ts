import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PosternError } from '../../../src/model/errors.ts'
import type { Postern, PushResult } from '../../../src/model/postern.ts'
import { checkHistory, describeVerdict, type HistoryEvent } from '../../helpers/history.ts'
import { type PostgresServer, startPostgres } from '../../helpers/postgres.ts'
import { campaign, FULL, TIER } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { figures } from '../harness/need.ts'
import { checkStream, startFollower } from '../harness/sse-followers.ts'
import { everythingAfter, followEvents, insist } from './harness/following.ts'
import {
  conservationFault,
  NEEDS_POSTGRES,
  newDatabase,
  openOn,
  type ServerOn,
  serveOn,
} from './harness/postgres-world.ts'

const STOPS = { quick: 1, full: 3, long: 700, most: 20 }
const BETWEEN_STOPS = 60
const CLEAN = { skipped: [], repeated: [], reordered: [], unexpected: [] }

describe('a PostgreSQL that is stopped', NEEDS_POSTGRES, () => {
  campaign(
    'keeps every acknowledged push, and one of each unknown outcome, through stops of PostgreSQL',
    STOPS,
    expectKept,
  )
})

async function expectKept(stops: number): Promise<void> {
  verifies('B1.stopped')
  const server = await startMortal()
  const { verdict, faults, streams, unknown, storedAnyway } = await stopWhileWritten(server, stops)
  const outcomes = `${unknown} unknown outcomes, ${storedAnyway} of them stored`
  figures('PostgreSQL stops', `${stops} immediate stops: ${describeVerdict(verdict)}, ${outcomes}`)
  expect(faults).toEqual([])
  expect(verdict).toMatchObject({ lost: [], duplicate: [], phantom: [], reordered: [] })
  for (const findings of streams) expect(findings).toEqual(CLEAN)
  expect(verdict.acknowledged).toBeGreaterThan(stops * BETWEEN_STOPS)
  expect(unknown).toBeGreaterThan(0)
}

it('finds a planted server that acknowledges before it has written', { ...FULL, ...NEEDS_POSTGRES }, async () => {
  const server = await startMortal({ wal_writer_delay: '10000', wal_writer_flush_after: '1GB' })
  const url = await newDatabase(server.createDatabase)
  const postern = await openOn(url)
  await postern.agents.add({ id: 'quinn' })
  await plantEarlyAnswers(url)
  const history: HistoryEvent[] = []
  for (let i = 0; i < BETWEEN_STOPS; i++) {
    await postern.inbox.push({ to: ['quinn'], content: `${i}` })
    history.push({ kind: 'acknowledged', key: `${i}`, by: 'writer' })
  }
  await server.crash()
  await server.restart()
  const { lost } = checkHistory([...history, ...(await drainAll(postern))])
  expect(lost.length).toBeGreaterThan(0)
})

/** What the server has handed to the system survives its own death; only the long run makes it wait for the disk too. */
async function startMortal(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const server = (await startPostgres({ durable: TIER === 'long', settings })) as PostgresServer
  onTestFinished(() => server.stop())
  return server
}

/** What a trigger may do behind our back: this transaction need not wait for the disk. It acts at the commit, after our own. */
async function plantEarlyAnswers(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN SET LOCAL synchronous_commit = off; RETURN NEW; END $$;
    CREATE CONSTRAINT TRIGGER plant AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION plant()`)
  await client.end()
}

interface Ledger {
  readonly history: HistoryEvent[]
  unknown: number
  storedAnyway: number
  isOver: boolean
}

type Push = (content: string) => Promise<PushResult>

/** Writers push and followers follow while the server is stopped again and again. */
async function stopWhileWritten(server: PostgresServer, stops: number) {
  const url = await newDatabase(server.createDatabase)
  const postern = await openOn(url)
  const http = await serveOn(url)
  for (const id of ['quinn', 'robin']) await postern.agents.add({ id })
  const { cursor: from } = await postern.events.list()
  const streaming = startFollower({ ...http, query: '', from, random: Math.random })
  const streamed = streaming.until('the-end')
  const followed = followEvents(await openOn(url), from, 'the-end')

  const ledger: Ledger = { history: [], unknown: 0, storedAnyway: 0, isOver: false }
  const other = await openOn(url)
  const pushes: Push[] = [embedded(postern), embedded(other), embedded(other), overHttp(http), overHttp(http)]
  const writing = pushes.map((push, at) => write(ledger, push, `writer-${at}`))
  for (let stop = 1; stop <= stops; stop++) {
    const before = acknowledged(ledger)
    while (acknowledged(ledger) < before + BETWEEN_STOPS) await Promise.race([delay(5), ...writing])
    await server.crash()
    await server.restart()
  }
  ledger.isOver = true
  await Promise.all(writing)
  await insist(() => postern.agents.add({ id: 'the-end' }))
  await streamed

  const { cursors, created } = await everythingAfter(postern, from)
  const streams = [await followed, streaming.seen].map((seen) => checkStream(cursors, seen))
  const shown = await drainAll(postern)
  const faults = [await conservationFault(postern)].filter((fault) => fault !== null)
  if (created.length !== shown.length) faults.push(`${created.length} messages were told of, ${shown.length} are there`)
  return { ...ledger, faults, streams, verdict: checkHistory([...ledger.history, ...shown]) }
}

function acknowledged({ history }: Ledger): number {
  return history.filter(({ kind }) => kind === 'acknowledged').length
}

/** Every fifth message has a second recipient, who never drains: conservation is counted over both. */
const recipientsOf = (content: string) => (content.endsWith('5') ? ['quinn', 'robin'] : ['quinn'])

function embedded({ inbox }: Postern): Push {
  return (content) => inbox.push({ to: recipientsOf(content), content, dedupKey: content })
}

function overHttp(http: ServerOn): Push {
  return async (content) => {
    const headers = { 'idempotency-key': content }
    const { status, text, body } = await http.ask('POST /api/v1/inbox', {
      headers,
      body: { to: recipientsOf(content), content },
    })
    if (status === 503) throw new PosternError('STORE_UNAVAILABLE', { path: '', reason: text })
    expect(status, text).toBe(201)
    return body
  }
}

/** Pushes one after the other, each for as long as nobody says what became of it. */
async function write(ledger: Ledger, push: Push, by: string): Promise<void> {
  for (let number = 1; !ledger.isOver; number++) {
    const key = `${by}:${number}`
    let isUnknown = false
    ledger.history.push({ kind: 'attempted', key, by })
    const { duplicate } = await insist(
      () => push(key),
      () => {
        isUnknown = true
      },
    )
    ledger.history.push({ kind: 'acknowledged', key, by })
    if (isUnknown) ledger.unknown++
    if (duplicate) ledger.storedAnyway++
  }
}

async function drainAll({ inbox }: Postern): Promise<HistoryEvent[]> {
  const shown: HistoryEvent[] = []
  for (;;) {
    const { offer, messages } = await insist(() => inbox.drain({ agent: 'quinn', maxMessages: 1_000 }))
    if (!offer) return shown
    await inbox.confirm({ offerId: offer.id, printed: true, evidence: 'the end' })
    for (const { content, attempt } of messages) shown.push({ kind: 'shown', key: content, attempt, by: 'the last' })
  }
}
