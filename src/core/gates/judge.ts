import { parseAgentId } from '../../model/agent.ts'
import { type Caller, SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { concernsTool, type Gate, parseGateHook } from '../../model/gate.ts'
import type { Finding, JudgeGates, Judgement, PassedGates } from '../../model/gates.ts'
import { MAX_CONTINUED_STOPS, parseSessionId } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { type PeopleNotice, tellPeople } from '../notices/people.ts'
import { shorten } from '../notices/subject.ts'
import { ring } from '../rings/ring.ts'
import { requireOwnSession } from '../sessions/sessions.ts'
import { lookAtGate } from './check.ts'
import { closeGate } from './close.ts'
import { judgeSessionGates } from './session-gates.ts'
import { tendDue } from './tend.ts'

const EVIDENCE_BYTES = 1_000
const NAME_BYTES = 200
const MAX_NAMES = 500
/** However long somebody would wait, a command gets no longer. */
const MAX_COMMAND_MS = 60_000
/** What others wait for gets one part in so many of the time, twice at most. */
const BUSES_PART = 8

/** Everything that holds a session, or has to be said to it once, at this moment. */
export async function judgeGates(ctx: Context, asked: JudgeGates): Promise<Judgement> {
  const agent = parseAgentId(asked.agent)
  const sessionId = parseSessionId(asked.sessionId)
  parseGateHook(asked.hook)
  const wholeMs = Math.min(asked.timeoutMs, MAX_COMMAND_MS)
  const begunAt = ctx.store.now()
  const open = await openGates(ctx, agent, wholeMs / BUSES_PART)
  const input = { ...asked, timeoutMs: Math.max(1, wholeMs - (ctx.store.now() - begunAt)) }
  const durable = open.filter((gate) => concerns(gate, input))
  const [unmet, ofSession] = await Promise.all([
    Promise.all(durable.map((gate) => judgeGate(ctx, gate, input.timeoutMs))),
    judgeSessionGates(ctx, input),
  ])
  const found = [...unmet.flat(), ...ofSession]
  const soft = found.filter(({ mode }) => mode === 'soft')
  const marks = soft.length === 0 ? [] : await ctx.store.read.gates.marks({ sessionId })
  const warned = new Set(marks.filter(({ mark }) => mark === 'warned').map(({ name }) => name))
  return {
    strict: found.filter(({ mode }) => mode === 'strict'),
    soft: soft.filter(({ name }) => !warned.has(name)),
  }
}

/** The agent's own gates are settled first; those of others only where one of its own waits for what may be theirs. */
async function openGates(ctx: Context, agent: string, busesMs: number): Promise<readonly Gate[]> {
  await tendDue(ctx, { agent, busesMs })
  const open = await ctx.store.read.gates.openOf({ agent })
  if (!open.some(({ kind }) => kind === 'gate' || kind === 'decision')) return open
  await tendDue(ctx, { busesMs })
  return ctx.store.read.gates.openOf({ agent })
}

function concerns(gate: Gate, { hook, tool = '' }: JudgeGates): boolean {
  return gate.hook === hook && (hook === 'stop' || concernsTool(gate, tool))
}

async function judgeGate(ctx: Context, gate: Gate, timeoutMs: number): Promise<Finding[]> {
  const { state } = await lookAtGate(ctx, gate, timeoutMs)
  if (state !== 'open') return []
  const { id, mode, reason, onUnavailable } = gate
  return [{ name: id, isDurable: true, mode, reason, onUnavailable }]
}

/**
 * Notes what became of gates that were not granted. People are told of every pass, and each gate records it. The caller
 * may be the held agent itself, so its word alone breaches no gate.
 */
export function notePassed(ctx: Context, input: PassedGates): Promise<void> {
  return recordPassed(ctx, input, { by: ctx.caller, isHook: false })
}

/** The same for the hook of this machine, which decides itself when a gate gives way. */
export function notePassedByHook(ctx: Context, input: PassedGates): Promise<void> {
  return recordPassed(ctx, input, { by: SYSTEM_CALLER, isHook: true })
}

/** Who reports a pass. */
interface Reporter {
  readonly by: Caller
  readonly isHook: boolean
}

async function recordPassed(ctx: Context, input: PassedGates, reporter: Reporter): Promise<void> {
  const agent = parseAgentId(input.agent)
  const sessionId = parseSessionId(input.sessionId)
  parseText('evidence', input.evidence, EVIDENCE_BYTES)
  const names = parseNames(input.names)
  const rings = await ctx.store.transact(async (tx) => {
    const session = await tx.sessions.get(sessionId)
    requireOwnSession(session, agent)
    const isCounted = reporter.isHook || (session?.continuations ?? 0) >= MAX_CONTINUED_STOPS
    const report = { ...input, agent, sessionId, by: reporter.by, isCounted }
    const told: string[] = []
    for (const name of names) told.push(...(await noteOne(ctx, tx, report, name)))
    return told
  })
  ring(ctx, rings)
}

function parseNames(names: readonly string[]): readonly string[] {
  if (names.length <= MAX_NAMES) return [...new Set(names.map((name) => parseText('gate', name, NAME_BYTES)))]
  throw new PosternError('VALUE_INVALID', {
    field: 'number of gates',
    value: names.length,
    next: `Name at most ${MAX_NAMES} at once.`,
  })
}

interface PassReport extends PassedGates {
  readonly by: Caller
  /** Whether a breach counts: the hook reports it, or the store has counted enough continued stops itself. */
  readonly isCounted: boolean
}

async function noteOne(ctx: Context, tx: Shelves, report: PassReport, name: string): Promise<readonly string[]> {
  const { agent, sessionId, outcome, evidence, by } = report
  const at = ctx.store.now()
  const gate = name.startsWith('gate_') ? await tx.gates.get(name) : undefined
  if (gate && gate.agent !== agent) return []
  if (outcome === 'warned') await tx.gates.mark({ sessionId, name, mark: 'warned', at, by: by.id })
  const isClaim = gate !== undefined && outcome === 'breached' && !isBreach(report, gate)
  if (gate && outcome === 'breached' && !isClaim) {
    // Whoever was granted leave meanwhile has breached nothing.
    const breach = { to: 'breached', by, reason: evidence, sessionId } as const
    if (!(await closeGate(ctx, tx, gate, breach))) return []
  } else if (gate) {
    if (isClaim && gate.state !== 'open') return []
    const step = isClaim ? 'claimed' : outcome
    await tx.gates.record({ gateId: name, at, step, by: by.id, trust: trustOf(by), sessionId, evidence })
  }
  if (outcome !== 'breached' && outcome !== 'bypassed') return []
  const reason = gate?.reason ?? (await reasonOfRule(ctx, tx, sessionId, name))
  const what = gate ? `gate ${name}` : `session gate ${name}`
  return tellPeople(ctx, tx, passNotice(report, { what, reason, isClaim, key: `${name}:${ctx.newId('pass')}` }))
}

/** The count is one of stops, so it says nothing of a gate on tools. */
function isBreach({ isCounted, by }: PassReport, { hook }: Gate): boolean {
  return isCounted && (hook === 'stop' || by === SYSTEM_CALLER)
}

async function reasonOfRule(ctx: Context, tx: Shelves, sessionId: string, name: string): Promise<string> {
  const rules = [...(await tx.gates.registered({ sessionId })), ...ctx.sessionGates]
  return rules.find((rule) => rule.name === name)?.reason ?? name
}

interface PassedGate {
  readonly what: string
  readonly reason: string
  readonly key: string
  readonly isClaim: boolean
}

/** Every pass is news, so each is told under a key of its own. */
function passNotice(
  { agent, sessionId, outcome, evidence }: PassedGates,
  { what, reason, key, isClaim }: PassedGate,
): PeopleNotice {
  if (isClaim) {
    return {
      key: `gate-claimed:${key}`,
      subject: `${agent} claims to have gone on without leave: ${shorten(reason)}`,
      content: `${agent} reports that it passed the ${what} in session ${sessionId}: ${evidence}\nThe gate still holds. It is there because: ${reason}`,
    }
  }
  return {
    key: `gate-${outcome}:${key}`,
    subject: `${agent} went on without leave: ${shorten(reason)}`,
    content: `The ${what} of ${agent} was not met, and was ${outcome} in session ${sessionId}: ${evidence}\nIt was there because: ${reason}`,
  }
}
