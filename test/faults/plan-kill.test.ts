import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { needsPostgres } from '../helpers/needs.ts'
import { createDatabase } from '../helpers/postgres.ts'
import '../helpers/global-postgres.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { figures } from './harness/need.ts'
import { openAt, readClock } from './harness/plan-worker.ts'

const MINUTE_MS = 60_000
const KILLS = { quick: 3, full: 60, long: 6_000, most: 100 }
const SERVERS = 3
const START = Date.UTC(2026, 2, 28, 20)
/** How far the clock goes on with every kill, and how far it is sometimes set back. */
const MINUTES_A_KILL = 7
const BACK_MINUTES = 90
/** How long one that has begun lives on at most before it is its turn to be killed. */
const LONGEST_LIFE_MS = 60

describe('a plan of every minute whose servers are killed again and again', () => {
  campaign('a plan fires once an instant on an embedded store, though its servers are killed', KILLS, async (kills) => {
    verifies('G10.kill')
    await expectOnce({ store: join(temporaryFolder(), 'postern.db'), kills })
  })

  it('finds a planted plan that fires first and sets its next instant afterwards', FULL, async () => {
    let found: readonly string[] = []
    for (let round = 0; round < 5 && found.length === 0; round++) {
      const store = join(temporaryFolder(), 'postern.db')
      found = (await killServers({ store, kills: 20, plant: 'loose' })).repeated
    }
    expect(found.length).toBeGreaterThan(0)
  })

  describe('on PostgreSQL', needsPostgres(inject('postgresUrl')), () => {
    campaign('a plan fires once an instant on PostgreSQL, though its servers are killed', KILLS, async (kills) => {
      verifies('G10.kill')
      const { url, drop } = await createDatabase(inject('postgresUrl'))
      onTestFinished(drop)
      await expectOnce({ store: url, kills })
    })
  })
})

async function expectOnce(loop: Loop): Promise<void> {
  const { missing, repeated, byServers } = await killServers(loop)
  expect({ missing, repeated }).toEqual({ missing: [], repeated: [] })
  // A machine that is busy leaves the servers of a few kills no time.
  if (loop.kills >= KILLS.full) expect(byServers).toBeGreaterThan((loop.kills * MINUTES_A_KILL) / 2)
}

interface Loop {
  readonly store: string
  readonly kills: number
  readonly plant?: 'loose'
}

/** Lets servers fire by a clock of ours while they are killed and replaced, then judges what has come. */
async function killServers({ store, kills, plant }: Loop) {
  const folder = temporaryFolder()
  const clock = join(folder, 'clock')
  const setClock = (ms: number) => {
    writeFileSync(`${clock}.new`, String(ms))
    renameSync(`${clock}.new`, clock)
  }
  setClock(START)
  const postern = await openAt({ store, now: () => readClock(clock) })
  const worker = bundle(folder)
  const start = () => startServer(worker, [store, clock, plant ?? ''])
  try {
    await postern.agents.add({ id: 'quinn' })
    await postern.plans.set({
      plans: [{ agent: 'quinn', name: 'every', cron: '* * * * *', missed: 'all', instruction: 'look' }],
    })
    const servers = Array.from({ length: SERVERS }, start)
    await Promise.all(servers.map(({ ready }) => ready))
    for (let kill = 1; kill <= kills; kill++) {
      const now = START + kill * MINUTES_A_KILL * MINUTE_MS
      setClock(kill % 10 === 5 ? now - BACK_MINUTES * MINUTE_MS : now)
      await servers[kill % SERVERS]?.ready
      await delay(Math.random() * LONGEST_LIFE_MS)
      await servers[kill % SERVERS]?.kill()
      servers[kill % SERVERS] = start()
    }
    await Promise.all(servers.map((each) => each.kill()))
    const byServers = (await instantsOf(postern)).length
    setClock(START + kills * MINUTES_A_KILL * MINUTE_MS)
    while ((await postern.upkeep.run()).plans > 0);
    const found = await instantsOf(postern)
    const wanted = Array.from({ length: kills * MINUTES_A_KILL }, (_, index) => START + (index + 1) * MINUTE_MS)
    const missing = wanted.map((at) => new Date(at).toISOString()).filter((at) => !found.includes(at))
    const repeated = found.filter((at, index) => found.indexOf(at) !== index)
    const { checks } = await postern.upkeep.check()
    expect(
      checks.filter((check) => !check.ok && check.level === 'error' && check.name.startsWith('store.conserv')),
    ).toEqual([])
    figures(
      'plan kill',
      `${plant ? 'planted: ' : ''}${kills} kills, ${found.length} fired, ${byServers} of them by servers, ${repeated.length} twice, ${missing.length} never`,
    )
    return { missing, repeated, byServers }
  } finally {
    await postern.close()
  }
}

async function instantsOf(postern: Awaited<ReturnType<typeof openAt>>): Promise<string[]> {
  const found: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page = await postern.inbox.list({
      agent: 'quinn',
      which: 'all',
      limit: 1_000,
      ...(after !== undefined && { after }),
    })
    found.push(...page.items.map(({ payload }) => (payload as { readonly scheduledAt: string }).scheduledAt))
    after = page.next
  }
  return found
}

function bundle(folder: string): string {
  const outfile = join(folder, 'plan-worker.cjs')
  const entry = fileURLToPath(new URL('./harness/plan-worker.ts', import.meta.url))
  const logOverride = { 'empty-import-meta': 'silent' } as const
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['pg-native'],
    logOverride,
  })
  return outfile
}

interface Server {
  readonly ready: Promise<unknown>
  kill(): Promise<unknown>
}

function startServer(script: string, words: readonly string[]): Server {
  const child: ChildProcess = spawn(process.execPath, [script, 'work', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  const ready = child.stdout ? Promise.race([once(child.stdout, 'data'), gone]) : gone
  return {
    ready,
    kill() {
      child.kill('SIGKILL')
      return gone
    },
  }
}
