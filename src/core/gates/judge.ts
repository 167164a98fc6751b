import { parseAgentId } from '../../model/agent.ts'
import { type Caller, SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { concernsTool, type Gate, parseGateHook, type SessionGateRule } from '../../model/gate.ts'
import type { Finding, JudgeGates, Judgement, PassedGates } from '../../model/gates.ts'
import type { Quote, Sender } from '../../model/message.ts'
import { MAX_CONTINUED_STOPS, parseSessionId, type Session } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { inSession, type PeopleNotice, tellPeople } from '../notices/notice.ts'
import { ring } from '../rings/ring.ts'
import { requireOwnSession } from '../sessions/begin.ts'
import { lookAtGate } from './check.ts'
import { closeGate, reasonQuote } from './close.ts'
import { recordRepeated } from './repeated-steps.ts'
import { judgeSessionGates, judgeSessionGatesForHook } from './session-gates.ts'
import { authorOfRule } from './session-rules.ts'
import { tendDue } from './tend.ts'

const EVIDENCE_BYTES = 1_000
const NAME_BYTES = 200
const MAX_NAMES = 500
/** However long somebody would wait, a command gets no longer. */
const MAX_COMMAND_MS = 60_000
/** What others wait for gets one part in so many of the time, twice at most. */
const BUSES_PART = 8

/** Everything that holds a session, or has to be said to it once, at this moment. */
export function judgeGates(ctx: Context, asked: JudgeGates): Promise<Judgement> {
  return judge(ctx, asked, judgeSessionGates)
}

/**
 * The same for the hook of this machine, which is also answered for the session of another agent: its host may have been
 * set up for one agent after the other.
 */
export function judgeGatesForHook(ctx: Context, asked: JudgeGates): Promise<Judgement> {
  return judge(ctx, asked, judgeSessionGatesForHook)
}

async function judge(ctx: Context, asked: JudgeGates, judgeOfSession: typeof judgeSessionGates): Promise<Judgement> {
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
    judgeOfSession(ctx, input),
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
  const { id, mode, reason, onUnavailable, createdBy, createdTrust } = gate
  return [{ name: id, isDurable: true, mode, reason, onUnavailable, createdBy, createdTrust }]
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
    if (!reporter.isHook) for (const name of names) await requireKnown(ctx, tx, { agent, sessionId }, name)
    const session = await tx.sessions.get(sessionId)
    // A pass that its hook may not report would be told to nobody.
    if (!reporter.isHook) requireOwnSession(session, agent, ctx.caller)
    const report = { ...input, agent, sessionId, by: reporter.by, session }
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
  /** As the store knows it. */
  readonly session: Session | undefined
}

async function noteOne(ctx: Context, tx: Shelves, report: PassReport, name: string): Promise<readonly string[]> {
  const { agent, sessionId, outcome, evidence, by } = report
  const at = ctx.store.now()
  const gate = name.startsWith('gate_') ? await tx.gates.get(name) : undefined
  if (gate && gate.agent !== agent) return []
  const rule = gate ? undefined : await findRule(ctx, tx, sessionId, name)
  if (outcome === 'warned') await tx.gates.mark({ sessionId, name, mark: 'warned', at, by: by.id })
  const isClaim = gate !== undefined && outcome === 'breached' && !isBreach(report, gate, at)
  if (gate && outcome === 'breached' && !isClaim) {
    // Whoever was granted leave meanwhile has breached nothing.
    const breach = { to: 'breached', by, reason: evidence, sessionId } as const
    if (!(await closeGate(ctx, tx, gate, breach))) return []
  } else if (gate) {
    if (isClaim && gate.state !== 'open') return []
    const step = isClaim ? 'claimed' : outcome
    await recordRepeated(tx, { gateId: name, at, step, by: by.id, trust: trustOf(by), sessionId, evidence })
  }
  if (outcome !== 'breached' && outcome !== 'bypassed') return []
  const what = name.startsWith('gate_') ? `gate ${name}` : `session gate ${name}`
  const reason = gate ? reasonQuote(gate) : rule && reasonQuote({ ...authorOfRule(rule), reason: rule.reason })
  return tellPeople(ctx, tx, passNotice(report, { what, reason, isClaim, key: `${name}:${ctx.newId('pass')}` }))
}

/**
 * Whether a report breaches a gate: a hook makes it, or hooks have put off enough stops since the gate was created, and the
 * session is still in that turn. The count is one of stops, so it says nothing of a gate on tools.
 */
function isBreach({ session, by }: PassReport, { hook, createdAt }: Gate, now: number): boolean {
  if (by === SYSTEM_CALLER) return true
  if (hook !== 'stop' || session?.endedAt !== null || session.continuations < MAX_CONTINUED_STOPS) return false
  const { continuedAt } = session
  return continuedAt !== null && continuedAt >= createdAt && continuedAt <= now
}

/** Refuses a name that is no gate of the session or its agent. A hook may report others: the user's own handlers, and gates of a store that is gone. */
async function requireKnown(
  ctx: Context,
  tx: Shelves,
  { agent, sessionId }: Pick<PassedGates, 'agent' | 'sessionId'>,
  name: string,
): Promise<void> {
  const gate = name.startsWith('gate_') ? await tx.gates.get(name) : undefined
  if (gate ? gate.agent === agent : await findRule(ctx, tx, sessionId, name)) return
  throw new PosternError('GATE_NOT_FOUND', { id: name })
}

async function findRule(
  ctx: Context,
  tx: Shelves,
  sessionId: string,
  name: string,
): Promise<SessionGateRule | undefined> {
  const rules = [...(await tx.gates.registered({ sessionId })), ...ctx.sessionGates]
  return rules.find((rule) => rule.name === name)
}

interface PassedGate {
  readonly what: string
  /** Undefined for a handler of the user's own. */
  readonly reason: Quote | undefined
  readonly key: string
  readonly isClaim: boolean
}

/**
 * Every pass is news, so each is told under a key of its own. A breach closes its gate, so people are told of it once and
 * the reporter need not pay. Otherwise a program could spend its rate first, and pass unheard.
 */
function passNotice(report: PassReport, { what, reason, key, isClaim }: PassedGate): PeopleNotice {
  const { agent, sessionId, outcome, evidence, by } = report
  const place = inSession(sessionId)
  const isOurs = by === SYSTEM_CALLER
  const words = {
    quotes: [
      ...(reason ? [reason] : []),
      ...(isOurs ? [] : [{ what: 'evidence', from: senderOf(by), text: evidence }]),
    ],
    ...((isClaim || outcome !== 'breached') && { cause: by }),
  }
  if (isClaim) {
    return {
      key: `gate-claimed:${key}`,
      subject: `${agent} claims to have gone on without leave`,
      content: `${agent} reports that it passed the ${what}${place}. The gate still holds.`,
      ...words,
    }
  }
  return {
    key: `gate-${outcome}:${key}`,
    subject: `${agent} went on without leave`,
    content: `The ${what} of ${agent} was not met, and was ${outcome}${place}${isOurs ? `: ${evidence}` : '.'}`,
    ...words,
  }
}

function senderOf(caller: Caller): Sender {
  return { id: caller.id, ...trustOf(caller) }
}
