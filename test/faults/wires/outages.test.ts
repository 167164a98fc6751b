import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { checkHistory, type Verdict } from '../../helpers/history.ts'
import { type ServeProcess, startServe } from '../../helpers/http-server.ts'
import { needsPrograms } from '../../helpers/needs.ts'
import { freePort } from '../../helpers/servers.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { cliCommand } from '../harness/cli.ts'
import { figures } from '../harness/need.ts'
import { createChance, shuffle } from './harness/chance.ts'
import { type Consumer, type Plant, startListener, startSpoolReader } from './harness/consumers.ts'
import { ENGINE_PROGRAMS, type EngineName, type MortalEngine, startEngine } from './harness/engines.ts'
import { conservationFault, newDatabase, openOn } from './harness/postgres-world.ts'
import { type Door, type Sent, write } from './harness/writers.ts'

/** How many outages there are: a few, each kind once, and each kind many times. `npm test` has those of one engine only. */
const OUTAGES = { quick: 1, full: 9, long: 900, most: 45 }
/** Pushes before each outage and during it, and as many at the end. */
const PUSHES_AN_OUTAGE = 60
const PLANTED_PUSHES = 300
const MUST_CATCH_UP_MS = 30_000
/** Beyond that a run is given up; what is missing then is called lost. */
const PATIENCE_MS = 1.2 * MUST_CATCH_UP_MS
const LONGEST_OUTAGE_MS = 400

const IN_HOSTS = ['dee', 'eve']
const ON_THE_WIRE = ['ann', 'bob']
const AGENTS = [...IN_HOSTS, ...ON_THE_WIRE]

for (const name of ['nats', 'redis'] as const) {
  const programs = needsPrograms('initdb', ...ENGINE_PROGRAMS[name])
  describe(`outages of ${name}`, { ...programs, ...(name === 'redis' && FULL) }, () => {
    campaign(
      `loses nothing and shows nothing twice, whatever happens to ${name}, spools and servers`,
      OUTAGES,
      async (count) => {
        verifies('G11.outages')
        const seed = Number(process.env['POSTERN_SEED'] ?? Math.floor(Math.random() * 2 ** 32))
        figures(`outages of ${name}`, `POSTERN_SEED=${seed}`)
        const pushes = PUSHES_AN_OUTAGE * (count + 1)
        const { verdicts, caughtUpMs, fault } = await pushThrough({ name, seed, pushes, count })
        figures(`outages of ${name}`, `${pushes} pushes, caught up ${caughtUpMs} ms after the last outage`)
        expect([...verdicts].filter(([, { isSound, repeated }]) => !isSound || repeated > 0)).toEqual([])
        for (const { acknowledged } of verdicts.values()) expect(acknowledged).toBeGreaterThan(pushes / 10)
        expect(fault).toBeNull()
        expect(caughtUpMs).toBeLessThanOrEqual(MUST_CATCH_UP_MS)
      },
    )
  })
}

it('finds a planted consumer that drops a message now and then, and one that shows some twice', {
  ...FULL,
  ...needsPrograms('initdb', ...ENGINE_PROGRAMS.redis),
}, async () => {
  const plants = { ann: 'drops-some', bob: 'shows-some-twice' } as const
  const { verdicts } = await pushThrough({ name: 'redis', seed: 1, pushes: PLANTED_PUSHES, count: 0, plants })
  expect(verdicts.get('ann')?.lost.length).toBeGreaterThan(0)
  expect(verdicts.get('bob')?.duplicate.length).toBeGreaterThan(0)
})

interface Trouble {
  readonly name: EngineName
  readonly seed: number
  readonly pushes: number
  /** How many outages there are. */
  readonly count: number
  /** With bugs put in nothing else goes wrong. */
  readonly plants?: Readonly<Record<string, Plant>>
}

interface Findings {
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly caughtUpMs: number
  /** What is wrong with the store's contents. */
  readonly fault: string | null
}

/** Two servers are pushed to, agents of two kinds read, and in between everything but PostgreSQL is broken. */
async function pushThrough({ name, seed, pushes, count, plants }: Trouble): Promise<Findings> {
  const engine = await startEngine(name)
  const url = await newDatabase()
  const postern = await openOn(url)
  for (const id of AGENTS) await postern.agents.add({ id })
  const servers = await Promise.all([0, 1].map(() => startMortalServe(url, engine.url)))
  const sources = [
    ['--store', url],
    ['--url', servers[1]?.door.url ?? ''],
  ]
  const consumers = await Promise.all([
    ...ON_THE_WIRE.map((agent) => startListener({ agent, postern, wireUrl: engine.url, plant: plants?.[agent] })),
    ...(plants ? [] : IN_HOSTS).map(async (agent, at) =>
      startSpoolReader({
        agent,
        postern: await openOn(url),
        wireUrl: engine.url,
        source: sources[at] ?? [],
        env: { POSTERN_TOKEN: servers[1]?.door.token ?? '' },
      }),
    ),
  ])
  const random = createChance(seed)
  const outages = outagesOf({ engine, servers, consumers, random }, count)
  if (!plants) figures(`outages of ${name}`, outages.map((outage) => outage.name).join(', '))
  const pace = createPace(pushes / (outages.length + 1))
  const writing = startWriters(servers, pushes, pace.turn)
  for (const outage of outages) {
    await Promise.race([pace.spent(), writing])
    pace.goOn()
    await outage.run()
  }
  pace.goOn(Number.POSITIVE_INFINITY)
  const sent = await writing
  const since = performance.now()
  if (!plants) sent.push(await wipeLastSpools(servers, consumers))
  const caughtUpMs = await catchUp(consumers, sent, since)
  const verdicts = consumers.map(({ agent, history }): [string, Verdict] => [
    agent,
    checkHistory([...sent.flatMap((each) => each.get(agent) ?? []), ...history]),
  ])
  return { verdicts: new Map(verdicts), caughtUpMs, fault: await conservationFault(postern) }
}

/** Lets so many pushes be made before and during each outage, so that none falls into a time when nobody writes. */
function createPace(share: number) {
  let allowed = share
  let made = 0
  const until = async (holds: () => boolean) => {
    while (!holds()) await delay(2)
  }
  return {
    async turn(): Promise<void> {
      await until(() => made < allowed)
      made++
    },
    spent: () => until(() => made >= allowed),
    goOn(by = share): void {
      allowed += by
    },
  }
}

/** What was in these spools was the last of all: nothing comes after it that would make anybody look. */
async function wipeLastSpools(servers: readonly MortalServe[], consumers: readonly Consumer[]): Promise<Sent> {
  for (const { hold } of consumers) await hold?.()
  const last = { name: 'last', door: servers[0]?.door as Door, count: 1, to: () => IN_HOSTS, turn: async () => {} }
  const sent = await write(last, AGENTS)
  await Promise.all(consumers.map(({ deleteSpool }) => deleteSpool?.()))
  return sent
}

interface MortalServe {
  readonly door: Door
  kill(): Promise<void>
  again(): Promise<void>
}

/** The real thing, which is killed and started again at the same address. */
async function startMortalServe(store: string, wire: string): Promise<MortalServe> {
  const home = temporaryFolder()
  const port = String(await freePort())
  const args = ['--store', store, '--wire', wire]
  const start = () => startServe({ home, port, args, executable: cliCommand([]).at(-1) ?? '' })
  let running: ServeProcess = await start()
  return {
    door: { url: running.url, token: running.token },
    async kill() {
      await running.stop('SIGKILL')
    },
    async again() {
      running = await start()
    },
  }
}

/** Each server has writers of its own; one more tells everybody. */
function startWriters(servers: readonly MortalServe[], pushes: number, turn: () => Promise<void>): Promise<Sent[]> {
  const told = Math.floor(pushes / 20)
  const each = Math.floor((pushes - told) / 4)
  const ofAgents = [0, 1, 2, 3].map((at) => ({
    name: `writer-${at}`,
    door: servers[at % 2]?.door as Door,
    count: each,
    to: (number: number) => recipientsOf(number + at),
    turn,
  }))
  const crier = { name: 'crier', door: servers[0]?.door as Door, count: told, to: () => ['all'], turn }
  return Promise.all([...ofAgents, crier].map((options) => write(options, AGENTS)))
}

function recipientsOf(number: number): string[] {
  const one = AGENTS[number % AGENTS.length] as string
  const other = AGENTS[(number + 1) % AGENTS.length] as string
  return number % 10 === 0 ? [one, other] : [one]
}

interface Outages {
  readonly engine: MortalEngine
  readonly servers: readonly MortalServe[]
  readonly consumers: readonly Consumer[]
  readonly random: () => number
}

interface Outage {
  readonly name: string
  readonly run: () => Promise<void>
}

/** This many outages in random order. No kind is repeated before every kind has come. */
function outagesOf({ engine, servers, consumers, random }: Outages, count: number): Outage[] {
  const aWhile = () => delay(random() * LONGEST_OUTAGE_MS)
  const restart = (signal: 'SIGTERM' | 'SIGKILL') => async () => {
    await engine.end(signal)
    await aWhile()
    await engine.again()
  }
  const all: Outage[] = [
    { name: 'engine stopped', run: restart('SIGTERM') },
    { name: 'engine killed', run: restart('SIGKILL') },
    { name: 'engine wiped', run: engine.wipe },
    ...consumers.flatMap(({ agent, deleteSpool }) =>
      deleteSpool ? [{ name: `spool of ${agent} deleted`, run: deleteSpool }] : [],
    ),
    ...consumers.flatMap(({ agent, replaceCourier }) =>
      replaceCourier ? [{ name: `courier of ${agent} killed`, run: replaceCourier }] : [],
    ),
    ...servers.map(({ kill, again }, at) => ({
      name: `server ${at} killed`,
      async run() {
        await kill()
        await aWhile()
        await again()
      },
    })),
  ]
  const rounds = Math.ceil(count / all.length)
  return Array.from({ length: rounds }, () => shuffle(all, random))
    .flat()
    .slice(0, count)
}

/** How long it takes until everybody has been shown as much as was sent to them. */
async function catchUp(consumers: readonly Consumer[], sent: readonly Sent[], since: number): Promise<number> {
  const passed = () => Math.round(performance.now() - since)
  const isBehind = ({ agent, count }: Consumer) => count < sent.reduce((sum, each) => sum + sizeOf(each, agent), 0)
  while (consumers.some(isBehind) && passed() < PATIENCE_MS) await delay(10)
  return passed()
}

function sizeOf(sent: Sent, agent: string): number {
  return (sent.get(agent) ?? []).filter(({ kind }) => kind === 'acknowledged').length
}
