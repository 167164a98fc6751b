import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../helpers/postgres.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/requirements.ts'
import { figures, isLong } from './harness/need.ts'
import { openAt, readClock } from './harness/plan-worker.ts'

const MINUTE_MS = 60_000
const KILLS = isLong ? 600 : 60
const SERVERS = 3
const START = Date.UTC(2026, 2, 28, 20)
/** How far the clock goes on with every kill, and how far it is sometimes set back. */
const MINUTES_A_KILL = 7
const BACK_MINUTES = 90
/** How long one that has begun lives on at most before it is its turn to be killed. */
const LONGEST_LIFE_MS = 60

describe('a plan of every minute whose servers are killed again and again', () => {
  it('fires once an instant on one embedded store', async () => {
    verifies('G10.kill')
    const { missing, repeated, byServers } = await killServers({ store: join(temporaryFolder(), 'postern.db') })
    expect({ missing, repeated }).toEqual({ missing: [], repeated: [] })
    expect(byServers).toBeGreaterThan((KILLS * MINUTES_A_KILL) / 2)
  })

  it('is caught firing twice where it fires first and sets its next instant afterwards', async () => {
    let found: readonly string[] = []
    for (let round = 0; round < 5 && found.length === 0; round++) {
      const store = join(temporaryFolder(), 'postern.db')
      found = (await killServers({ store, kills: 20, plant: 'loose' })).repeated
    }
    expect(found.length).toBeGreaterThan(0)
  })

  describe('on PostgreSQL', () => {
    let server: PostgresServer | undefined
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server?.stop())

    it('fires once an instant', async ({ skip }) => {
      verifies('G10.kill')
      if (!server) return skip('there is no PostgreSQL here')
      const { url } = await server.createDatabase()
      const { missing, repeated, byServers } = await killServers({ store: url })
      expect({ missing, repeated }).toEqual({ missing: [], repeated: [] })
      expect(byServers).toBeGreaterThan((KILLS * MINUTES_A_KILL) / 2)
    })
  })
})

interface Loop {
  readonly store: string
  readonly kills?: number
  readonly plant?: 'loose'
}

/** Lets servers fire by a clock of ours while they are killed and replaced, then judges what has come. */
async function killServers({ store, kills = KILLS, plant }: Loop) {
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
      setClock(kill % 10 === 0 ? now - BACK_MINUTES * MINUTE_MS : now)
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
