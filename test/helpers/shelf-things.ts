import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { UNKNOWN_TRUST } from '../../src/model/caller.ts'
import type { Decision } from '../../src/model/decision.ts'
import type { SessionGate } from '../../src/model/gate.ts'
import type { Message } from '../../src/model/message.ts'
import type { Session } from '../../src/model/session.ts'
import type { Plan } from '../../src/model/sources/plan.ts'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import type { InheritanceRecord, Shelves, Store } from '../../src/store/store.ts'
import { temporaryFolder } from './temp.ts'

/** Things to put on a store's shelves, for tests of the shelves themselves. */

export const NOW = 1_000_000
export const AGENTS = ['olga', 'quinn', 'robin'] as const

/** A home with three agents for whom nothing waits. */
export async function openHome(name = 'postern.db'): Promise<{ home: string; store: Store }> {
  const home = temporaryFolder()
  const store = await openSqliteStore({ path: join(home, name), now: () => NOW, random: Math.random })
  onTestFinished(() => store.close())
  await store.transact(async (tx) => {
    for (const id of AGENTS) await addAgent(tx, id)
  })
  return { home, store }
}

export function addAgent(tx: Shelves, id: string): Promise<boolean> {
  const agent = { id, kind: 'ai', displayName: id, isOwner: false, createdAt: 1, removedAt: null } as const
  return tx.agents.insert({ agent, idSkeleton: id, nameSkeleton: id, withBroadcasts: false })
}

let made = 0

export function messageTo(to: readonly string[], dedupKey: string | null = null): Message {
  const id = `msg_${++made}`
  const from = { id: 'olga', kind: 'ai', verified: false, via: 'test' }
  const empty = {
    subject: null,
    payload: null,
    context: null,
    ref: null,
    replyTo: null,
    attachments: [],
    trace: null,
    hops: 0,
  }
  const [createdAt, expiresAt] = [NOW, NOW + 1]
  return {
    id,
    type: 'agent',
    from,
    to,
    content: 'x',
    priority: 2,
    threadId: id,
    dedupKey,
    createdAt,
    expiresAt,
    ...empty,
  }
}

export async function push(tx: Shelves, to: readonly string[], options: { key?: string; held?: string[] } = {}) {
  const message = messageTo(to, options.key ?? null)
  await tx.messages.push({ items: [{ message, held: options.held ?? [] }], pendingLimit: 10 })
  return message.id
}

/** Offers all that is pending for quinn. */
export async function offer(tx: Shelves): Promise<string> {
  const id = `offer_${++made}`
  const taken = await tx.deliveries.candidates({ agent: 'quinn', now: NOW, limit: 10, criticalLimit: 10 })
  const closed = { printedAt: null, closedAt: null, outcome: null, evidence: null }
  const times = { offeredAt: NOW, expiresAt: NOW + 1 }
  const about = { id, agent: 'quinn', sessionId: null, via: 'test', size: taken.length }
  await tx.offers.open({ offer: { ...about, ...times, ...closed }, taken, headlines: [] })
  return id
}

export const closeAs = (tx: Shelves, id: string, outcome: 'confirmed' | 'released' | 'lapsed', maxAttempts = 9) =>
  tx.offers.close({ id, at: NOW, printedAt: NOW, outcome, evidence: 'test', maxAttempts })

export const move = (
  tx: Shelves,
  id: string,
  from: 'pending' | 'held' | 'dead' | 'seen',
  to: 'pending' | 'cancelled' | 'acted',
) => tx.deliveries.move({ id, agent: 'quinn', from: [from], to, at: NOW, by: 'test', reason: 'test' })

export function session(id: string): Session {
  const process = {
    machine: 'here',
    pid: null,
    pidStartedAt: null,
    starterPid: null,
    starterStartedAt: null,
    host: 'generic',
    project: null,
  } as const
  const turn = { idleSince: null, continuations: 0, continuedAt: null, stoppedAt: null }
  return { id, agent: 'quinn', startedAt: NOW, lastEventAt: NOW, endedAt: null, ...process, ...turn }
}

export function sessionGate(hook: 'stop' | 'tool'): SessionGate {
  const registered = { registeredBy: 'quinn', registeredTrust: UNKNOWN_TRUST, registeredAt: NOW }
  const rest = { mode: 'strict', check: null, reason: 'x', machine: 'here', markedAt: null, markedBy: null } as const
  return { sessionId: 's', name: 'tests', hook, ...rest, ...registered }
}

/** A plan of quinn that waits for its instant. */
export function plan(id: string): Plan {
  const about = { id, agent: 'quinn', name: id, instruction: 'x', priority: 2, missed: 'once' } as const
  const times = { cron: null, zone: 'UTC', gateId: null, nextRunAt: NOW + 1, pausedAt: null, lastRunAt: null }
  return { ...about, ...times, runs: 0, createdBy: 'olga', createdAt: NOW, updatedAt: NOW, revision: 1 }
}

/** What quinn's session is being shown. */
export function inheritance(id: string): InheritanceRecord {
  const times = { offeredAt: NOW, printedAt: null, closedAt: null, outcome: null }
  const place = { machine: 'here', root: '/project', agent: 'quinn', sessionId: 's' }
  return { id, ...place, items: [{ box: 'inbox', name: '1-learning.md', isRaw: false }], tokens: 9, ...times }
}

export function decision(id: string): Decision {
  const about = { gateId: 'gate_1', question: 'x', context: null, options: [], defaultOption: null, dueAt: null }
  const made = { createdBy: 'quinn', createdTrust: UNKNOWN_TRUST, createdAt: NOW, answer: null }
  return { id, agent: 'quinn', ...about, allowsText: true, asked: [], state: 'open', ...made }
}

/** One step after the other; the last one's result. */
export function inTurn<T>(
  first: (tx: Shelves) => Promise<unknown>,
  last: (tx: Shelves) => Promise<T>,
): (tx: Shelves) => Promise<T> {
  return async (tx) => {
    await first(tx)
    return last(tx)
  }
}

/** Calls whenever a transaction is about to be committed. */
export function watchCommits<T>(look: () => T): T[] {
  const seen: T[] = []
  const run = Connection.prototype.run
  const spy = vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, text, params) {
    if (text === 'COMMIT') seen.push(look())
    return run.call(this, text, params)
  })
  onTestFinished(() => spy.mockRestore())
  return seen
}
