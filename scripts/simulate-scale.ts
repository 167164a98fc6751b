/**
 * The capacity model of docs/guides/scale.md, which shows what this prints: node scripts/simulate-scale.ts
 *
 * Arithmetic says how much of everything a number of agents needs. How long pushes take where a store is busy is not
 * arithmetic: a small simulation with a fixed seed plays pushes and drains on the cores of one PostgreSQL.
 */

/** From scripts/measure-cost.ts and bench/wires.ts, on a machine with 2 cores. */
const MEASURED = {
  /** Processor time of PostgreSQL for a push. */
  pushMs: 0.4,
  keptBytes: 900,
  writtenBytes: 1_430,
  /** Memory of a NATS server for the two consumers of an agent. */
  consumerBytes: 86_000,
}

/** What agents do, and what machines there are: change these to your own. */
const ASSUMED = {
  messagesPerHour: 10,
  messagesPerDrain: 2,
  /** Processor time of a drain with its confirmation: about half of the 4.3 ms that one was measured to take in all. */
  drainMs: 2,
  coresOfPostgres: 16,
  diskOfPostgres: 4e12,
  /** A partition is full where its cores are busy for this part of the time. */
  load: 0.5,
  /** A disk that is safe against power loss. */
  fsyncMs: 1,
  memoryOfNats: 64e9,
  retentionDays: 30,
}

const SIZES = [1e3, 1e5, 1e7] as const
const HOUR_S = 3_600
const DAY_S = 86_400
const SEED = 7

interface Need {
  readonly agents: number
  readonly pushesPerSecond: number
  readonly cores: number
  readonly partitions: number
  readonly keptBytes: number
  readonly writtenPerSecond: number
  readonly natsBytes: number
  readonly natsServers: number
  readonly p50: number
  readonly p99: number
}

function needOf(agents: number): Need {
  const pushesPerSecond = (agents * ASSUMED.messagesPerHour) / HOUR_S
  const drainsPerSecond = pushesPerSecond / ASSUMED.messagesPerDrain
  const cores = (pushesPerSecond * MEASURED.pushMs + drainsPerSecond * ASSUMED.drainMs) / 1_000
  const keptBytes = pushesPerSecond * DAY_S * ASSUMED.retentionDays * MEASURED.keptBytes
  const partitions = Math.ceil(
    Math.max(cores / (ASSUMED.coresOfPostgres * ASSUMED.load), keptBytes / ASSUMED.diskOfPostgres),
  )
  const natsBytes = agents * MEASURED.consumerBytes
  return {
    agents,
    pushesPerSecond,
    cores,
    partitions,
    keptBytes,
    writtenPerSecond: pushesPerSecond * MEASURED.writtenBytes,
    natsBytes,
    natsServers: Math.ceil(natsBytes / ASSUMED.memoryOfNats),
    ...playPartition(pushesPerSecond / partitions, drainsPerSecond / partitions),
  }
}

const PLAYED = 50_000

/** Milliseconds from a push to its answer, on one partition: a core works on it, then the disk has it. */
function playPartition(
  pushesPerSecond: number,
  drainsPerSecond: number,
): { readonly p50: number; readonly p99: number } {
  const random = createRandom(SEED)
  const freeAt: number[] = new Array(ASSUMED.coresOfPostgres).fill(0)
  const took: number[] = []
  const perMs = (pushesPerSecond + drainsPerSecond) / 1_000
  for (let now = 0, played = 0; played < PLAYED; played++) {
    now += -Math.log(1 - random()) / perMs
    const isPush = random() < pushesPerSecond / (pushesPerSecond + drainsPerSecond)
    const core = freeAt.indexOf(Math.min(...freeAt))
    // Work differs: most is near its mean, some takes several times as long.
    const workMs = -Math.log(1 - random()) * (isPush ? MEASURED.pushMs : ASSUMED.drainMs)
    const doneAt = Math.max(now, freeAt[core] ?? 0) + workMs
    freeAt[core] = doneAt
    if (isPush) took.push(doneAt - now + nextFlush(doneAt, random))
  }
  took.sort((a, b) => a - b)
  const at = (part: number) => took[Math.floor(took.length * part)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

/** Commits that come while the disk writes wait for it, and then go together. */
function nextFlush(doneAt: number, random: () => number): number {
  const isWriting = random() < 0.5
  return ASSUMED.fsyncMs + (isWriting ? ASSUMED.fsyncMs - (doneAt % ASSUMED.fsyncMs) : 0)
}

/** The same numbers everywhere, for ever. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${rounded(bytes / 1_000 ** power)} ${units[power]}`
}

/** Two figures that count: none of this is known better. */
function rounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en-US')
}

const ROWS: readonly (readonly [string, (need: Need) => string])[] = [
  ['agents', ({ agents }) => agents.toLocaleString('en-US')],
  ['pushes a second', ({ pushesPerSecond }) => rounded(pushesPerSecond)],
  ['cores of PostgreSQL', ({ cores }) => rounded(cores)],
  ['partitions', ({ partitions }) => rounded(partitions)],
  ['log written a second', ({ writtenPerSecond }) => formatBytes(writtenPerSecond)],
  [`kept after ${ASSUMED.retentionDays} days`, ({ keptBytes }) => formatBytes(keptBytes)],
  ['memory of NATS for consumers', ({ natsBytes }) => formatBytes(natsBytes)],
  ['NATS servers', ({ natsServers }) => rounded(natsServers)],
  ['push p50, simulated', ({ p50 }) => `${p50.toFixed(1)} ms`],
  ['push p99, simulated', ({ p99 }) => `${p99.toFixed(1)} ms`],
]

const needs = SIZES.map(needOf)
const [header, ...rows] = ROWS.map(([name, show]) => `| ${[name, ...needs.map(show)].join(' | ')} |`)
console.log([header, '|---|---|---|---|', ...rows].join('\n'))
