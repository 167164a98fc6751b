import { isProgram, SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import type { Gate } from '../../model/gate.ts'
import { EVERYBODY, type Message, type Sender } from '../../model/message.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { NOTICE_KEYS, type PeopleNotice, pushNotice, tellPeople } from '../notices/notice.ts'
import { ring } from '../rings/ring.ts'
import { lookOnBus } from './bus.ts'
import { closeGate, creatorOf, reasonQuote } from './close.ts'
import { nextLook, nextReminder } from './due.ts'
import { endUnanswered } from './question.ts'
import { recordRepeated } from './repeated-steps.ts'
import { escalatedKey, reminderKey } from './requests.ts'

/** What happens to gates because of something else. A part of its own, which most commands never load. */

/** Looking at buses takes no longer, however many gates wait for them. */
const BUSES_MS = 2_000
const TEND_LIMIT = 100

interface Tended {
  readonly done: number
  readonly rings: readonly string[]
}

export interface Tending {
  readonly limit: number
  /** Only gates of this agent. */
  readonly agent?: string
  /** How long buses may be looked at; what is left over is looked at next. */
  readonly busesMs?: number
}

/** Timers need no server: whoever looks at gates first settles those whose time has come. */
export async function tendDue(ctx: Context, some: Omit<Tending, 'limit'> = {}): Promise<void> {
  await tendDueGates(ctx, { limit: TEND_LIMIT, ...some })
}

/** Closes due gates for a reader, unless upkeep runs and will do it. */
export async function tendForReader(ctx: Context): Promise<void> {
  if (!ctx.hasUpkeep) await tendDue(ctx)
}

/**
 * Settles what has to be looked at by itself, and rings. Buses are looked at before the transaction: a file may lie on a
 * disk that is slow, and would hold everybody up.
 */
export async function tendDueGates(
  ctx: Context,
  { patienceMs, busesMs = BUSES_MS, ...some }: Tending & { readonly patienceMs?: number },
): Promise<number> {
  const due = await ctx.store.read.gates.due({ now: ctx.store.now(), ...some })
  if (due.length === 0) return 0
  const left = await lookOnBuses(ctx, due, busesMs)
  const options = patienceMs === undefined ? {} : { patienceMs }
  const { done, rings } = await ctx.store.transact((tx) => tendGates(ctx, tx, some, left), options)
  ring(ctx, [...new Set(rings)])
  return done
}

/** Returns the gates for which there was no time. */
async function lookOnBuses(ctx: Context, due: readonly Gate[], busesMs: number): Promise<ReadonlySet<string>> {
  const deadline = ctx.store.now() + busesMs
  const onBuses = due.filter(({ kind }) => kind === 'bus')
  for (const [at, gate] of onBuses.entries()) {
    const leftMs = deadline - ctx.store.now()
    if (leftMs <= 0) return new Set(onBuses.slice(at).map(({ id }) => id))
    await lookOnBus(ctx, gate, leftMs)
  }
  return new Set()
}

/** Closes gates whose time has come, reminds people of the others and goes higher where that was asked for. */
async function tendGates(
  ctx: Context,
  tx: Shelves,
  { limit, agent }: Tending,
  left: ReadonlySet<string>,
): Promise<Tended> {
  const all = await tx.gates.due({ now: ctx.store.now(), limit, ...(agent !== undefined && { agent }) })
  // What nobody has looked at stays due, and so comes before what has been.
  const due = all.filter(({ id }) => !left.has(id))
  const rings: string[] = []
  for (const gate of due) rings.push(...(await tendGate(ctx, tx, gate)))
  return { done: due.length, rings }
}

/** Settles one gate, if its time has come. */
export async function tendOne(ctx: Context, id: string): Promise<void> {
  const rings = await ctx.store.transact(async (tx) => {
    const gate = await tx.gates.get(id)
    return gate ? tendGate(ctx, tx, gate) : []
  })
  ring(ctx, [...new Set(rings)])
}

async function tendGate(ctx: Context, tx: Shelves, gate: Gate): Promise<readonly string[]> {
  const now = ctx.store.now()
  if (gate.untilAt !== null && gate.untilAt <= now) {
    const closed = await closeGate(ctx, tx, gate, { to: 'resolved', by: SYSTEM_CALLER, reason: 'its time has come' })
    return closed?.rings ?? []
  }
  if (gate.dueAt !== null && gate.dueAt <= now) return expireGate(ctx, tx, gate)
  return remindOf(ctx, tx, gate, now)
}

/** A gate that gives way to time has granted nothing, so people hear of it. Of a breached one they have heard already. */
async function expireGate(ctx: Context, tx: Shelves, gate: Gate): Promise<readonly string[]> {
  const ended = gate.kind === 'decision' ? await endUnanswered(ctx, tx, gate) : undefined
  const expiry = { to: 'expired', by: SYSTEM_CALLER, reason: 'nothing came in time' } as const
  const closed = ended ?? (await closeGate(ctx, tx, gate, expiry))
  const isHeard = closed?.gate.state !== 'expired' || gate.state === 'breached' || gate.mode === 'soft'
  const told = isHeard ? [] : await tellPeople(ctx, tx, expiredNotice(gate))
  return [...(closed?.rings ?? []), ...told]
}

async function remindOf(ctx: Context, tx: Shelves, gate: Gate, now: number): Promise<readonly string[]> {
  const rings: string[] = []
  const reminder = nextReminder(gate)
  let { remindedAt, escalateAt } = gate
  if (reminder !== null && reminder <= now) {
    rings.push(...(await tellPeople(ctx, tx, reminderNotice(gate, now))))
    await recordRepeated(tx, { ...ofSystem(gate, now), step: 'reminded', evidence: 'it is still open' })
    remindedAt = now
  }
  if (escalateAt !== null && gate.escalateTo !== null && escalateAt <= now) {
    const escalated = await escalate(ctx, tx, gate, gate.escalateTo)
    rings.push(...escalated.rings)
    await tx.gates.record({ ...ofSystem(gate, now), step: 'escalated', evidence: escalated.evidence })
    escalateAt = null
  }
  const nextAt = nextLook({ ...gate, remindedAt, escalateAt }, { now, machine: ctx.machine.name })
  await tx.gates.tend({ id: gate.id, remindedAt, escalateAt, nextAt })
  return rings
}

function ofSystem(gate: Gate, at: number) {
  return { gateId: gate.id, at, by: SYSTEM_CALLER.id, trust: trustOf(SYSTEM_CALLER), sessionId: null }
}

/** Tells the one who was named for it, or people in their place once that one was removed. Says who was told. */
async function escalate(
  ctx: Context,
  tx: Shelves,
  gate: Gate,
  to: string,
): Promise<{ readonly rings: readonly string[]; readonly evidence: string }> {
  const notice = {
    subject: `${gate.agent} still waits`,
    content: `The gate ${gate.id} has held ${gate.agent} for longer than it should.\nSee it with: postern gate show ${gate.id}`,
    ...wordsOf(gate),
  }
  const key = escalatedKey(gate.id)
  if ((await tx.agents.get(to))?.removedAt !== null) {
    const told = await tellPeople(ctx, tx, { key, ...notice })
    return { rings: told, evidence: `${to} was removed; told instead: ${told.join(', ') || 'nobody'}` }
  }
  const dedupKey = `${NOTICE_KEYS}${key}`
  const rings = await pushNotice(ctx, tx, {
    from: SYSTEM_CALLER,
    type: 'gate',
    to: [to],
    dedupKey,
    ref: `gate:${gate.id}`,
    ...notice,
  })
  return { rings, evidence: `${to} was told` }
}

function reminderNotice(gate: Gate, now: number): PeopleNotice {
  const { id, agent } = gate
  return {
    key: reminderKey(id, now),
    subject: `${agent} still waits`,
    content: `The gate ${id} still holds ${agent}.\nSee it with: postern gate show ${id}`,
    ...wordsOf(gate),
  }
}

function expiredNotice(gate: Gate): PeopleNotice {
  const { id, agent } = gate
  return {
    key: `gate-expired:${id}`,
    subject: `${agent} goes on without an answer`,
    content: `The gate ${id} of ${agent} expired before anybody resolved it.`,
    ...wordsOf(gate),
  }
}

function wordsOf(gate: Gate): Pick<PeopleNotice, 'quotes' | 'cause'> {
  return { quotes: [reasonQuote(gate)], cause: creatorOf(gate) }
}

/** A reply resolves the gates that wait for one to its message. */
export async function resolveByReply(
  ctx: Context,
  tx: Shelves,
  message: Message,
  waiting: readonly Gate[],
): Promise<readonly string[]> {
  const rings: string[] = []
  if (waiting.length === 0 || message.replyTo === null) return rings
  const awaited = await tx.messages.get(message.replyTo)
  for (const gate of waiting) {
    if (gate.kind !== 'message' || !awaited || !isAnswer(awaited, message.from, gate)) continue
    const closed = await closeGate(ctx, tx, gate, {
      to: 'resolved',
      by: ctx.caller,
      reason: `${message.from.id} answered with ${message.id}`,
    })
    rings.push(...(closed?.rings ?? []))
  }
  return rings
}

/**
 * Whether a reply opens a gate. The held agent does not answer for others, and neither does a program that was not asked.
 * An unnamed sender may be the held agent, so its reply opens no strict gate.
 */
export function isAnswer({ to }: Message, from: Sender, { agent, mode }: Pick<Gate, 'agent' | 'mode'>): boolean {
  if (from.id === agent || (from.kind === 'local' && mode === 'strict')) return false
  return !isProgram(from) || to.includes(EVERYBODY) || to.includes(from.id)
}
