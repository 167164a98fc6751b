import { formatDuration } from '../../kit/pure/duration.ts'
import { parseAgentId } from '../../model/agent.ts'
import { formatBusCondition, parseBusCondition } from '../../model/bus/condition.ts'
import { isProgram, SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import {
  type Gate,
  type GateHook,
  type GateKind,
  type GateState,
  parseGateHook,
  parseGateKind,
  parseGateMode,
  parsePolicy,
} from '../../model/gate.ts'
import type { CreateGate } from '../../model/gates.ts'
import { requireStorable } from '../../model/ids.ts'
import { formatServiceCondition, parseServiceCondition } from '../../model/sources/service-condition.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { takeCreation } from '../creation-budget.ts'
import { type PeopleNotice, tellPeople } from '../notices/notice.ts'
import { requireAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'
import { requireDecision, requireGate, requireVisible } from '../visible.ts'
import { fromNowOn, lookOnBus } from './bus.ts'
import { closeGate, creatorOf, reasonQuote } from './close.ts'
import { nextLook } from './due.ts'
import { waitsKey } from './requests.ts'
import { isAnswer } from './tend.ts'

const REASON_BYTES = 2_000
const COMMAND_BYTES = 4_000
const TOOL_BYTES = 200
const FOLDER_BYTES = 4_000
const MAX_WAITERS = 100
const OPEN_PER_AGENT = 200
const FIRST_LOOK_MS = 1_000

/** Sets up a gate. One whose condition is met already is resolved in the same breath. */
export async function createGate(ctx: Context, input: CreateGate): Promise<Gate> {
  const draft = await fromNowOn(ctx, draftGate(ctx, input))
  const { gate, rings } = await ctx.store.transact(
    async (tx) => {
      for (const id of [draft.agent, ...draft.waiters, ...(draft.escalateTo ? [draft.escalateTo] : [])]) {
        await requireAgent(tx, id)
      }
      // The condition is looked at first: once the gate is there, it would let its creator see what it waits for.
      const met = await alreadyMet(ctx, tx, draft)
      await insertGate(ctx, tx, draft)
      if (met !== undefined) {
        const closed = await closeGate(ctx, tx, draft, { to: 'resolved', by: SYSTEM_CALLER, reason: met })
        return { gate: closed?.gate ?? draft, rings: closed?.rings ?? [] }
      }
      return { gate: draft, rings: draft.kind === 'human' ? await tellPeople(ctx, tx, waitingNotice(draft)) : [] }
    },
    { answers: ['gates.create'] },
  )
  ring(ctx, rings)
  await afterCreation(ctx, gate)
  // An entry that was named as the last one may not have been.
  return gate.kind === 'bus' ? lookOnBus(ctx, gate, FIRST_LOOK_MS) : gate
}

/** Called once the gate is committed. */
export async function afterCreation(ctx: Context, gate: Gate): Promise<void> {
  // Loaded on use: most creators of gates run where no hooks do.
  if (ctx.foreshadow && gate.mode === 'strict') await (await import('./foreshadow.ts')).foreshadowGate(ctx, gate)
}

export async function insertGate(ctx: Context, tx: Shelves, gate: Gate): Promise<void> {
  await requireRoom(tx, gate.agent)
  await takeCreation(ctx, tx, '@gates')
  const nextAt = nextLook(gate, { now: gate.createdAt, machine: ctx.machine.name })
  await tx.gates.insert({ gate, nextAt })
  await tx.gates.record({
    gateId: gate.id,
    at: gate.createdAt,
    step: 'created',
    by: gate.createdBy,
    trust: gate.createdTrust,
    sessionId: null,
    evidence: `${gate.mode} gate of the kind ${gate.kind}, via ${ctx.caller.via}`,
  })
}

export function draftGate(ctx: Context, input: CreateGate): Gate {
  const kind = parseGateKind(input.kind)
  const mode = parseGateMode(input.mode ?? 'strict')
  const hook = parseGateHook(input.hook ?? 'stop')
  const agent = parseAgentId(input.agent)
  const createdAt = ctx.store.now()
  requireMayHold(ctx, agent)
  requireOnlyIts(kind, hook, input)
  return {
    id: ctx.newId('gate'),
    agent,
    kind,
    mode,
    hook,
    tool: input.tool ? parseText('tool', input.tool, TOOL_BYTES) : null,
    reason: parseReason(input.reason),
    state: 'open',
    awaits: awaitsOf(kind, input),
    folder: input.folder === undefined ? null : parseText('folder', input.folder, FOLDER_BYTES),
    machine: kind === 'command' || kind === 'bus' ? ctx.machine.name : null,
    untilAt: kind === 'timer' ? createdAt + requireSpan(ctx, 'time', input.afterMs) : null,
    onUnavailable: parsePolicy(input.onUnavailable ?? (mode === 'strict' ? 'block' : 'allow')),
    waiters: parseWaiters(input.waiters ?? []),
    createdBy: ctx.caller.id,
    createdTrust: trustOf(ctx.caller),
    createdAt,
    dueAt: input.timeoutMs === undefined ? null : createdAt + requireSpan(ctx, 'timeout', input.timeoutMs),
    remindEveryMs: input.remindEveryMs === undefined ? null : requireReminder(ctx, input.remindEveryMs),
    remindedAt: null,
    escalateTo: input.escalateTo === undefined ? null : parseAgentId(input.escalateTo),
    escalateAt:
      input.escalateTo === undefined ? null : createdAt + requireSpan(ctx, 'escalation', input.escalateAfterMs),
    closedAt: null,
    closedBy: null,
    closedReason: null,
  }
}

/**
 * A program holds only itself. Otherwise the reason of its gate would put its words into the hooks of any agent, and it
 * could stop every one of them. People may hold any agent, and so may programs that the configuration names.
 */
export function requireMayHold({ caller, mayHold }: Context, agent: string): void {
  if (!isProgram(caller) || caller.id === agent || mayHold(caller.id, agent)) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot hold ${agent}: a program sets gates for itself only.`,
    next: 'Let a person set the gate, or allow it with "allow.gates" in the configuration.',
  })
}

export function parseReason(value: string): string {
  const reason = parseText('reason', value, REASON_BYTES)
  if (reason.trim() !== '') return reason
  throw new PosternError('VALUE_INVALID', {
    field: 'reason',
    value: reason.trim(),
    next: 'Say why: the held agent is shown the reason.',
  })
}

const AWAITED: Readonly<Partial<Record<GateKind, string>>> = {
  message: 'the id of the message whose reply is waited for',
  decision: 'the id of the decision',
  command: 'the command that must succeed',
  gate: 'the id of the other gate',
  service: 'the service, such as ci or ci?status=success',
  bus: 'the bus, such as conductor/task-docs or conductor/task-docs?type=ANSWER',
}

function awaitsOf(kind: GateKind, { awaits }: CreateGate): string | null {
  const what = AWAITED[kind]
  if (!what) return null
  if (!awaits)
    throw new PosternError('VALUE_INVALID', {
      field: `condition of a ${kind} gate`,
      value: awaits,
      next: `Name ${what}.`,
    })
  const condition = parseText('condition', awaits, COMMAND_BYTES)
  if (kind === 'bus') return formatBusCondition(parseBusCondition(condition))
  return kind === 'service' ? formatServiceCondition(parseServiceCondition(condition)) : condition
}

/** What belongs to another kind would be ignored, and whoever named it would wait for nothing. */
function requireOnlyIts(kind: GateKind, hook: GateHook, input: CreateGate): void {
  const { awaits, afterMs, folder, tool, escalateTo, escalateAfterMs } = input
  const ofKind = `A gate of the kind ${kind} takes none.`
  const surplus: readonly (readonly [field: string, value: unknown, isSurplus: boolean, next: string])[] = [
    ['condition', awaits, !AWAITED[kind], ofKind],
    ['time', afterMs, kind !== 'timer', ofKind],
    ['folder', folder, kind !== 'command', ofKind],
    ['tool', tool, hook !== 'tool', 'Only a gate on tools names one.'],
    ['time of escalation', escalateAfterMs, escalateTo === undefined, 'Say whom to tell then.'],
  ]
  const found = surplus.find(([, value, isSurplus]) => value !== undefined && isSurplus)
  if (found) throw new PosternError('VALUE_INVALID', { field: found[0], value: found[1], next: found[3] })
}

function parseWaiters(waiters: readonly string[]): readonly string[] {
  if (waiters.length <= MAX_WAITERS) return [...new Set(waiters.map((id) => parseAgentId(id)))].sort()
  throw new PosternError('VALUE_INVALID', {
    field: 'number of waiters',
    value: waiters.length,
    next: `Name at most ${MAX_WAITERS}.`,
  })
}

const LEAST_REMINDER_MS = 60_000

function requireReminder(ctx: Context, ms: number): number {
  if (requireSpan(ctx, 'reminder', ms) >= LEAST_REMINDER_MS) return ms
  throw new PosternError('VALUE_INVALID', {
    field: 'reminder',
    value: formatDuration(ms),
    next: 'Remind at most once a minute.',
  })
}

export function requireSpan(ctx: Context, field: string, ms: number | undefined): number {
  if (ms !== undefined && Number.isSafeInteger(ms) && ms > 0 && ms <= ctx.limits.ttlMs) return ms
  const next = `Give it a duration, such as 10m; at most ${formatDuration(ctx.limits.ttlMs)}.`
  throw new PosternError('VALUE_INVALID', { field, value: ms === undefined ? ms : formatDuration(ms), next })
}

async function requireRoom(tx: Shelves, agent: string): Promise<void> {
  const open = await tx.gates.openOf({ agent })
  if (open.length < OPEN_PER_AGENT) return
  throw new PosternError('VALUE_INVALID', {
    field: 'number of open gates',
    value: open.length,
    next: `${agent} has as many open gates as an agent may have; close some of them first.`,
  })
}

/** A gate that was passed without leave has not been opened by anybody. */
const GATE_HOLDS: readonly GateState[] = ['open', 'breached']

/** Why the condition is met from the beginning, if it is. What it names must exist, and the caller must see it. */
async function alreadyMet(ctx: Context, tx: Shelves, gate: Gate): Promise<string | undefined> {
  const { kind, awaits } = gate
  if (awaits === null) return undefined
  if (kind === 'message') {
    requireStorable(awaits, 'MESSAGE_NOT_FOUND')
    const message = requireVisible(ctx, awaits, await tx.messages.getAwaited(awaits))
    const repliers = await tx.messages.repliers({ message, now: ctx.store.now() })
    return repliers.some((from) => isAnswer(message, from, gate)) ? `${awaits} has been answered` : undefined
  }
  if (kind === 'gate') {
    const other = await requireGate(ctx, tx, awaits)
    return GATE_HOLDS.includes(other.state) ? undefined : `the gate ${awaits} is ${other.state}`
  }
  if (kind === 'decision') {
    const decision = await requireDecision(ctx, tx, awaits)
    return decision.state === 'open' ? undefined : `the decision ${awaits} is ${decision.state}`
  }
  if (kind === 'service') {
    // What it sent before does not count: it may have been about something else.
    const { service } = parseServiceCondition(awaits)
    if (!(await tx.services.isNamed(service))) throw new PosternError('SERVICE_NOT_FOUND', { id: service })
  }
  return undefined
}

export function waitingNotice(gate: Gate): PeopleNotice {
  const { id, agent } = gate
  return {
    key: waitsKey(id),
    subject: `${agent} waits for you`,
    quotes: [reasonQuote(gate)],
    cause: creatorOf(gate),
    asks: true,
    content: `The gate ${id} holds ${agent} until a person says so.\nLet it go on with: postern gate resolve ${id} --as <you> --reason "…"`,
  }
}
