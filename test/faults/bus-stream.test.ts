import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { SseEvent } from '../../src/kit/pure/sse.ts'
import type { ReadBus } from '../../src/model/bus/bus.ts'
import type { BusEntry } from '../../src/model/bus/entry.ts'
import type { Postern } from '../../src/model/postern.ts'
import { ask } from '../helpers/http-server.ts'
import { openLocal } from '../helpers/open-local.ts'
import { connectSse } from '../helpers/sse-client.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { makeHome, storeOf } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { checkStream, startFollower } from './harness/sse-followers.ts'
import { type MortalServer, startMortalServer } from './harness/sse-servers.ts'

/** Rounds of trouble, each of which has everything that can happen to the server and to the file. */
const ROUNDS = { quick: 1, full: 6, long: 900, most: 6 }
const CLEAN = { skipped: [], repeated: [], reordered: [], unexpected: [] }
const PLACE = { project_id: 'p', task_id: 't' } as const
const PROJECT = { project_id: 'p' } as const
const PATH = '/api/projects/p/tasks/t/messages/stream'
const END = 'the end'

campaign(
  'sends every client each entry once and in order, over kills, rotations and editors',
  ROUNDS,
  async (rounds) => {
    verifies('S002.stream.exact')
    const { findings, told, connections } = await followThrough({ rounds })
    figures('bus streams', `${rounds} rounds of trouble, ${connections} connections, ${told} entries told`)
    for (const found of findings) expect(found).toEqual(CLEAN)
    expect(told).toBeGreaterThan(35 * rounds)
    expect(connections).toBeGreaterThanOrEqual(4 * rounds)
  },
)

it('finds a planted stream that resumes one entry too late', FULL, async () => {
  const { findings } = await followThrough({ rounds: 1, plant: 'one-too-late' })
  expect(findings.flatMap(({ skipped }) => skipped).length).toBeGreaterThan(0)
})

interface Trouble {
  readonly rounds: number
  readonly plant?: 'one-too-late'
}

interface Scene {
  readonly postern: Postern
  readonly server: MortalServer
  readonly token: string
  readonly file: string
}

async function openScene(plant?: 'one-too-late', beatMs = 50): Promise<Scene> {
  const home = makeHome(join(temporaryFolder(), 'home'))
  const root = join(home, 'run-agent')
  const postern = await openLocal(storeOf(home), { upkeep: false, bus: { root } })
  onTestFinished(() => postern.close())
  const token = `pst_${randomBytes(32).toString('base64url')}`
  await postern.bus.post({ ...PLACE, body: 'the beginning' })
  const server = await startMortalServer({ home, token, beatMs, ...(plant && { plant }) })
  return { postern, server, token, file: join(root, 'p', 't', 'TASK-MESSAGE-BUS.md') }
}

/** Somebody writes, clients follow and are cut off, and meanwhile one thing after the other happens to the server and the file. */
async function followThrough({ rounds, plant }: Trouble) {
  const scene = await openScene(plant)
  const { postern, server, token } = scene
  const { cursor } = await postern.bus.read(PLACE)
  const from = cursor ?? ''
  const settings = { url: server.url, token, path: PATH, from, random: Math.random }
  const followers = ['', '?types=FACT', '?merged=true'].map((query) => startFollower({ ...settings, query }))
  const following = followers.map((follower) => follower.until(END))
  const writer = startWriter(postern)
  const troubles = [
    () => server.kill().then(() => server.restart()),
    () => postern.bus.rotate(PLACE),
    () => writer.whilePaused(() => replace(scene.file)),
    () => writer.whilePaused(() => saveInPlace(scene.file)),
  ]
  for (let round = 0; round < rounds * troubles.length; round++) {
    await delay(50 + Math.random() * 300)
    await troubles[round % troubles.length]?.()
  }
  await writer.stop()
  await postern.bus.post({ ...PLACE, type: 'FACT', body: END })
  await Promise.all(following)
  const ofTask = await everythingAfter(postern, { ...PLACE, after: from })
  const ofProject = await everythingAfter(postern, PROJECT)
  const facts = ofTask.filter(({ type }) => type === 'FACT')
  const [all = [], some = [], both = []] = followers.map(({ seen }) => seen)
  const projectIds = new Set(idsOf(ofProject))
  const isOfProject = (id: string) => projectIds.has(id)
  const findings = [
    checkStream(idsOf(ofTask), all),
    checkStream(idsOf(facts), some),
    // Of two buses each is in its own order.
    checkStream(idsOf(ofProject), both.filter(isOfProject)),
    checkStream(
      idsOf(ofTask),
      both.filter((id) => !isOfProject(id)),
    ),
  ]
  const connections = followers.reduce((sum, follower) => sum + follower.connections, 0)
  return { findings, told: all.length, connections }
}

interface Writer {
  /** An editor that writes over what was appended meanwhile loses it, with or without us. */
  whilePaused(act: () => void): Promise<void>
  stop(): Promise<void>
}

function startWriter({ bus }: Postern): Writer {
  let isStopped = false
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = (act: () => unknown) => {
    turn = turn.then(act)
    return turn
  }
  const writing = (async () => {
    for (let count = 0; !isStopped; count++) {
      const type = count % 3 === 0 ? 'FACT' : 'INFO'
      const place = count % 4 === 0 ? PROJECT : PLACE
      await inTurn(() => bus.post({ ...place, type, body: `${count}\n---\n${'x'.repeat(count % 2_000)}` }))
    }
  })()
  return {
    whilePaused: async (act) => void (await inTurn(act)),
    async stop() {
      isStopped = true
      await writing
    },
  }
}

/** As most editors save: another file, put in the place of the first. */
function replace(file: string): void {
  writeFileSync(`${file}.swp`, readFileSync(file))
  renameSync(`${file}.swp`, file)
}

/** As others do: for a moment the file is empty. */
function saveInPlace(file: string): void {
  writeFileSync(file, readFileSync(file))
}

const idsOf = (entries: readonly BusEntry[]) => entries.map(({ msg_id }) => msg_id)

async function everythingAfter({ bus }: Postern, place: ReadBus): Promise<BusEntry[]> {
  const entries: BusEntry[] = []
  for (let { after = '' } = place; ; ) {
    const page = await bus.read({ ...place, after })
    entries.push(...page.items)
    if (!page.hasMore) return entries
    after = page.cursor ?? after
  }
}

/** Clients that take nothing. */
const STALLED = { quick: 5, full: 40, long: 4_000, most: 40 }
const SERVED = 5
const BODY = 'x'.repeat(20_000)
/** The server queues 128 KB for a client, and the bundle that passes this mark. */
const MAX_QUEUED_BYTES = 256 * 1024

campaign('drops clients that take nothing, serves the others, and queues little', STALLED, async (stalled) => {
  verifies('S002.stream.bounded')
  const { postern, server, token } = await openScene(undefined, 500)
  const connect = async (isStalled: boolean) => {
    const client = await connectSse(server.url, { token, path: PATH, isStalled })
    onTestFinished(() => client.close())
    return client
  }
  await Promise.all(Array.from({ length: stalled }, () => connect(true)))
  const served = await Promise.all(Array.from({ length: SERVED }, () => connect(false)))
  const isDone = async () => {
    const { text } = await ask(server.url, 'GET /metrics', { token })
    return text.includes(`\npostern_event_streams ${SERVED}\n`)
  }
  const isMessage = ({ event }: SseEvent) => event === 'message'
  const ids: string[] = []
  while (!(await isDone())) {
    const posted = await Promise.all(Array.from({ length: 20 }, () => postern.bus.post({ ...PLACE, body: BODY })))
    ids.push(...posted.map(({ msg_id }) => msg_id).sort())
    for (const client of served) await client.until((events) => events.filter(isMessage).length >= ids.length)
  }
  for (const client of served) expect(client.events.filter(isMessage).map(({ id }) => id)).toEqual(ids)
  const most = await server.mostQueuedBytes()
  figures('bus streams', `${stalled} stalled clients, ${ids.length} entries: ${most >> 10} KB queued for one at most`)
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(MAX_QUEUED_BYTES)
})
