import { setTimeout as delay } from 'node:timers/promises'
import { checkHistory, type HistoryEvent, type Verdict } from '../../helpers/history.ts'
import { READERS, type Reader, type World, WRITERS } from './doors.ts'
import { leftIn, shownTo } from './history-of.ts'
import { makePlace, type Place, type StoreKind } from './place.ts'
import type { Shown } from './shown.ts'

const SHORT_LEASE_MS = 2_000
/** A reader that lives confirms long before. Offers of one that died come back in time for the end. */
const PRINTED_LEASE_MS = 60_000
const AGENTS = ['quinn', 'robin']
/** A hook is one of quinn's. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  quinn: Object.keys(READERS),
  robin: ['cli', 'http', 'mcp'],
}
const LONGEST_CALL_MS = 400
/** Of all reads, how many end with the death of their reader. */
const DEADLY = 0.2
/** Of all messages that were confirmed, how many are acknowledged as well. */
const ACKED = 0.3
/** How long the rest may take. A printed offer of a dead reader must not need its half hour. */
const PATIENCE_MS = 240_000

export interface Soak {
  readonly store: StoreKind
  readonly messages: number
  /** How often the server is killed and started again. */
  readonly serverKills: number
}

/** Everything that writers and readers share. */
interface Scene extends World {
  readonly events: HistoryEvent[]
  isOver(): boolean
}

/** Lets writers and readers of every door work on one home while readers and servers are killed, and judges. */
export async function soak({ store, messages, serverKills }: Soak): Promise<Verdict> {
  const limits = {
    unprintedOfferMs: SHORT_LEASE_MS,
    printedOfferMs: PRINTED_LEASE_MS,
    attempts: 1_000,
    pairBurst: 1_000_000,
    threadMessages: 1_000_000,
  }
  const place = await makePlace({ store, limits })
  let server = await place.serve()
  let isOver = false
  const scene: Scene = { place, server: () => server, events: [], isOver: () => isOver }

  async function killServers(): Promise<void> {
    for (let kill = 0; kill < serverKills; kill++) {
      await delay(Math.random() * 2_000)
      await server.stop('SIGKILL')
      server = await place.serve()
    }
  }

  const doors = Object.keys(WRITERS)
  const perDoor = Math.ceil(messages / doors.length)
  const written = Promise.all([killServers(), ...doors.map((door) => writeThrough(scene, door, perDoor))])
  const read = Promise.all(
    AGENTS.flatMap((agent) => (DOORS[agent] ?? []).map((door) => readThrough(scene, door, agent))),
  )
  const ended = written
    .then(() => waitUntilRead(place))
    .finally(() => {
      isOver = true
    })
  await Promise.all([ended, read])
  return checkHistory([...scene.events, ...(await leftIn(place, AGENTS))])
}

async function writeThrough({ events, ...world }: Scene, door: string, count: number): Promise<void> {
  const writer = await WRITERS[door]!(world)
  for (let number = 1; number <= count; number++) {
    const to = AGENTS[number % AGENTS.length] as string
    const [key, by] = [`key-${to}-${door}-${number}`, `${door} to ${to}`]
    events.push({ kind: 'attempted', key, by })
    await writer.push(to, `Number ${number}: ${key}`)
    events.push({ kind: 'acknowledged', key, by })
  }
}

/** Reads until nothing waits. A reader that was killed is replaced by a new one. */
async function readThrough(scene: Scene, door: string, agent: string): Promise<void> {
  const { events, isOver } = scene
  for (let life = 1; !isOver(); life++) {
    const by = `${door} of ${agent}, life ${life}`
    const reader = await READERS[door]!(scene, agent)
    let isAlive = true
    while (isAlive && !isOver()) {
      isAlive = Math.random() > DEADLY
      const shown = await reader.read(isAlive ? undefined : Math.random() * LONGEST_CALL_MS)
      events.push(...shownTo(agent, shown, by))
      if (isAlive) await settle(reader, shown, by, events)
    }
    await reader.kill()
    events.push({ kind: 'crashed', by })
  }
}

async function settle(reader: Reader, shown: readonly Shown[], by: string, events: HistoryEvent[]): Promise<void> {
  if (shown.length === 0) return delay(50)
  const kind = (await reader.confirm()) ? 'confirmed' : 'refused'
  for (const { key } of shown) events.push({ kind, key, by })
  if (kind === 'refused') return
  for (const { id, key } of shown.filter(() => Math.random() < ACKED)) {
    await reader.ack(id)
    events.push({ kind: 'acked', key, by })
  }
}

async function waitUntilRead(place: Place): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await delay(200)) {
    if ((await leftIn(place, AGENTS)).length === 0) return
  }
}
