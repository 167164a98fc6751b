import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { assemble } from '../../../src/host/open/open.ts'
import type { PushMessage } from '../../../src/model/postern.ts'
import { mayHoldEntries } from '../../../src/spool/may-hold.ts'
import { spoolPath } from '../../../src/spool/path.ts'
import { Connection } from '../../../src/store/sqlite/connection.ts'
import { QuietMarks } from '../../../src/store/sqlite/quiet-marks.ts'
import { markQuietAtOnce } from '../../../src/store/sqlite/quiet-peek.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { createDoorbell } from '../../../src/wires/local/doorbell.ts'
import { gate } from '../../helpers/gate.ts'
import { looksQuiet } from '../../helpers/quiet.ts'

/**
 * A process that writes to one store and asks after every answer whether a hook would still stay away. What it finds
 * wrong, and how often it found what, it writes down: run by Node itself, not by vitest.
 */
const { values } = parseArgs({
  options: {
    role: { type: 'string' },
    store: { type: 'string' },
    log: { type: 'string' },
    /** A bug to put in: `late-removal`. */
    plant: { type: 'string' },
  },
})
const { role = '', store: path = '', log = '', plant } = values

const AGENTS = ['quinn', 'robin'] as const
const home = dirname(path)

if (plant === 'late-removal') plantLateRemoval()
const store = await openSqliteStore({ path, now: Date.now, random: Math.random })
const postern = assemble(store, createDoorbell({ folder: join(home, 'bells') }), { upkeep: false })
let isStopping = false
let gates = 0
process.on('SIGTERM', () => {
  isStopping = true
})
process.stdout.write('ready\n')

const ROLES: Readonly<Record<string, () => Promise<void>>> = { all, once, pusher, hook, gatekeeper }
await ROLES[role]?.()
await postern.close()

/** Everything once, one after the other: for whoever strikes at every call that the process makes. */
async function all(): Promise<void> {
  await markBothQuiet()
  await push({ to: ['quinn'] })
  await readMail('quinn')
  await markQuiet('quinn')
  await push({ to: [...AGENTS] })
  for (const agent of AGENTS) await readMail(agent)
  await markBothQuiet()
  await push({ to: ['all'] })
  for (const agent of AGENTS) await readMail(agent)
  await markBothQuiet()
  await openAndClose()
  await markQuiet('quinn')
  await push({ to: ['quinn'] })
  await confirmAndMarkQuiet()
  await markQuiet('quinn')
  await Promise.all([markQuiet('robin'), push({ to: ['quinn'] }), markQuiet('quinn')])
}

/** One push, and one broadcast, either of which may be refused. */
async function once(): Promise<void> {
  for (const to of [['quinn'], ['all']]) {
    await push({ to }).catch((error: unknown) => record('refused', String((error as { code?: unknown }).code)))
  }
}

async function pusher(): Promise<void> {
  while (!isStopping) {
    const to = oneOf([['quinn'], ['robin'], [...AGENTS], ['all']])
    await push({ to })
    await pause(16)
  }
}

/** What a hook does: shows what waits, confirms it, and marks its agent quiet, by the store's verb or by the short way. */
async function hook(): Promise<void> {
  for (const agent of AGENTS) await postern.sessions.begin({ id: sessionOf(agent), agent, project: home })
  while (!isStopping) {
    const agent = oneOf(AGENTS)
    await readMail(agent)
    if (Math.random() < 0.5) await markQuiet(agent)
    else markQuietShortly(agent)
    await pause(2)
  }
}

function sessionOf(agent: string): string {
  return `ses-${agent}`
}

/** It fails where somebody else writes. */
function markQuietShortly(agent: string): void {
  try {
    const session = { agent, sessionId: sessionOf(agent), mayHoldEntries, spoolOf: spoolPath }
    if (markQuietAtOnce(path, session)) record('marked', agent)
  } catch {
    // As said above.
  }
}

async function gatekeeper(): Promise<void> {
  while (!isStopping) {
    await openAndClose()
    await pause(16)
  }
}

async function markBothQuiet(): Promise<void> {
  for (const agent of AGENTS) await markQuiet(agent)
}

async function markQuiet(agent: string): Promise<void> {
  if (await store.transact((tx) => tx.agents.markQuiet({ agent, spools: [] }))) record('marked', agent)
}

async function push(input: Omit<PushMessage, 'content'>): Promise<void> {
  const { id } = await postern.inbox.push({ ...input, content: 'x' })
  record('acknowledged', id)
  for (const agent of input.to?.[0] === 'all' ? AGENTS : (input.to ?? [])) await look(agent, id)
}

/** Where a hook stays away after the answer, the message must have been seen: nothing leads back from there. */
async function look(agent: string, id: string): Promise<void> {
  if (!looksQuiet(home, agent)) return
  const known = (await store.read.deliveries.ofMessage(id)).find((delivery) => delivery.agent === agent)
  if (known?.state !== 'seen') record('fault', `${id} is ${known?.state ?? 'not taken up'}, but ${agent} is quiet`)
}

async function readMail(agent: string): Promise<void> {
  const { offer } = await postern.inbox.drain({ agent, maxMessages: 1_000 })
  if (!offer) return
  if (looksQuiet(home, agent)) record('fault', `${agent} is quiet while its offer is open`)
  await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'worker' })
}

/** In one transaction: a worker that dies before the commit has neither confirmed anything nor marked anybody quiet. */
async function confirmAndMarkQuiet(): Promise<void> {
  const { offer } = await postern.inbox.drain({ agent: 'quinn' })
  if (!offer) throw new Error('there is nothing to confirm')
  const closing = { id: offer.id, at: Date.now(), printedAt: Date.now(), outcome: 'confirmed', evidence: 'x' } as const
  await store.transact(async (tx) => {
    await tx.offers.close({ ...closing, maxAttempts: 9 })
    await tx.agents.markQuiet({ agent: 'quinn', spools: [] })
  })
}

async function openAndClose(): Promise<void> {
  const id = `gate_${process.pid}_${++gates}`
  await store.transact((tx) => tx.gates.insert({ gate: gate(id, 'quinn'), nextAt: null }))
  if (looksQuiet(home, 'quinn')) record('fault', 'quinn is quiet while a gate is open')
  await store.transact((tx) =>
    tx.gates.close({ id, from: ['open'], to: 'resolved', at: Date.now(), by: 'worker', reason: 'x' }),
  )
}

function record(kind: 'acknowledged' | 'refused' | 'marked' | 'fault', what: string): void {
  appendFileSync(log, `${JSON.stringify({ kind, what })}\n`)
}

function oneOf<T>(choices: readonly T[]): T {
  return choices[Math.floor(Math.random() * choices.length)] as T
}

function pause(maxMs: number): Promise<void> {
  return delay(Math.random() * maxMs)
}

/** Removes quiet files as soon as the transaction is committed, instead of before. */
function plantLateRemoval(): void {
  const { beforeCommit } = QuietMarks.prototype
  let late = () => {}
  QuietMarks.prototype.beforeCommit = function (this: QuietMarks) {
    late = () => beforeCommit.call(this)
  }
  const { run } = Connection.prototype
  Connection.prototype.run = function (this: Connection, text, params) {
    const changed = run.call(this, text, params)
    if (text !== 'COMMIT') return changed
    late()
    late = () => {}
    return changed
  }
}
