import { describeAuthor, SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import {
  HARVEST,
  parseGateHook,
  parseGateMode,
  parseGateName,
  type SessionGate,
  type SessionGateRule,
  TASK_UPDATE,
} from '../../model/gate.ts'
import type { Finding, JudgeGates, RegisterGate } from '../../model/gates.ts'
import { parseSessionId, type Session, UNKNOWN_MACHINE } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireOwnSession } from '../sessions/begin.ts'
import { parseReason, requireMayHold } from './create.ts'
import { hasHarvested } from './harvest.ts'
import { ASKED, authorOfRule, isAskedThisTurn, isMarkable, rulesOf } from './session-rules.ts'
import { hasTaskUpdate } from './task-update.ts'

const CHECK_BYTES = 4_000
const MAX_REGISTERED = 50

/** Adds a gate to one session, or changes it. */
export async function registerGate(ctx: Context, input: RegisterGate): Promise<SessionGate> {
  const name = parseGateName(input.name)
  const gate: SessionGate = {
    sessionId: parseSessionId(input.sessionId),
    name,
    hook: parseGateHook(input.hook ?? 'stop'),
    mode: parseGateMode(input.mode ?? 'strict'),
    check: input.check === undefined ? null : parseText('check', input.check, CHECK_BYTES),
    reason: parseReason(input.reason ?? defaultReason(name, input.check)),
    machine: ctx.machine.name,
    registeredBy: ctx.caller.id,
    registeredTrust: trustOf(ctx.caller),
    registeredAt: ctx.store.now(),
    markedAt: null,
    markedBy: null,
  }
  const registered = await ctx.store.transact(
    async (tx) => {
      const session = await requireSession(tx, gate.sessionId)
      requireMayHold(ctx, session.agent)
      if (gate.check !== null && isElsewhere(ctx, session)) throw foreignCheck(session)
      if (ctx.caller.kind !== 'human') await requireUnset(ctx, tx, gate)
      await tx.gates.register(gate)
      const known = await tx.gates.registered({ sessionId: gate.sessionId })
      if (known.length > MAX_REGISTERED) throw tooMany(known.length)
      return known.find((each) => each.name === name) ?? gate
    },
    { answers: ['gates.register'] },
  )
  // Loaded on use: every hook of a held session loads this file.
  const { foreshadowSessionGate } = await import('./foreshadow.ts')
  await foreshadowSessionGate(ctx, registered)
  return registered
}

/**
 * Refuses to change a gate that another caller or the configuration has set: only a person may hold a session less. An
 * unnamed caller may be the held agent.
 */
async function requireUnset(ctx: Context, tx: Shelves, { sessionId, name }: SessionGate): Promise<void> {
  const known = (await rulesOf(ctx, tx, sessionId)).find((rule) => rule.name === name)
  if (!known) return
  // A rule of the configuration is nobody's own, whatever the caller is called.
  if ('registeredBy' in known && known.registeredBy === ctx.caller.id) return
  const { createdBy, createdTrust } = authorOfRule(known)
  throw new PosternError('NOT_ALLOWED', {
    message: `The gate ${name} of this session was set by ${describeAuthor(createdBy, createdTrust)}, so ${ctx.caller.id} cannot change it.`,
    next: 'Meet its condition, or ask a person to change it.',
  })
}

/**
 * A session that only a token has named has no known machine, so its gate commands run on the machine where they are
 * set.
 */
function isElsewhere(ctx: Context, { machine }: Session): boolean {
  return machine !== ctx.machine.name && machine !== UNKNOWN_MACHINE
}

/** Whoever shares a store with another machine may not run programs there. */
function foreignCheck({ id, machine }: Session): PosternError {
  return new PosternError('NOT_ALLOWED', {
    message: `The session ${id} runs on ${machine}, and the command of a gate is run where its session is.`,
    next: 'Register it there, or without a command.',
  })
}

function tooMany(count: number): PosternError {
  return new PosternError('VALUE_INVALID', {
    field: 'number of gates',
    value: count,
    next: `A session has at most ${MAX_REGISTERED} gates of its own.`,
  })
}

function defaultReason(name: string, check: string | undefined): string {
  return check === undefined
    ? `Do what "${name}" stands for, then say so: postern gate mark ${name} --session <session>`
    : `This must succeed first: ${check}`
}

/** A session says that it has done what one of its gates asks for. To say it again changes nothing and writes nothing. */
export async function markGate(
  ctx: Context,
  input: { readonly sessionId: string; readonly name: string },
): Promise<SessionGate> {
  const sessionId = parseSessionId(input.sessionId)
  const name = parseGateName(input.name)
  const known = await markedGate(ctx, ctx.store.read, { sessionId, name })
  if (known.markedAt !== null) return known
  return ctx.store.transact(async (tx) => {
    await tx.gates.mark({ sessionId, name, mark: 'done', at: ctx.store.now(), by: ctx.caller.id })
    return markedGate(ctx, tx, { sessionId, name })
  })
}

/** A gate that can be marked, with its mark if it has one. */
async function markedGate(
  ctx: Context,
  shelves: Shelves,
  { sessionId, name }: { readonly sessionId: string; readonly name: string },
): Promise<SessionGate> {
  const { startedAt } = await requireSession(shelves, sessionId)
  const rule = (await rulesOf(ctx, shelves, sessionId)).find((gate) => gate.name === name)
  if (!rule) throw new PosternError('GATE_NOT_FOUND', { id: name })
  if (!isMarkable(rule)) {
    const next = rule.check === null ? `Only a question opens it: ${ASK}` : 'Only its command opens it.'
    throw new PosternError('VALUE_INVALID', { field: 'gate to mark', value: name, next })
  }
  const marks = await shelves.gates.marks({ sessionId })
  const done = marks.find((each) => each.name === name && each.mark === 'done')
  const registered = {
    registeredBy: SYSTEM_CALLER.id,
    registeredTrust: trustOf(SYSTEM_CALLER),
    registeredAt: startedAt,
  }
  const byConfig = { machine: ctx.machine.name, ...registered }
  return { ...byConfig, ...rule, sessionId, markedAt: done?.at ?? null, markedBy: done?.by ?? null }
}

const ASK = 'postern decision create --option a="…" --option b="…" "question"'

async function requireSession(shelves: Shelves, id: string): Promise<Session> {
  const session = await shelves.sessions.get(id)
  if (!session) throw new PosternError('SESSION_NOT_FOUND', { id })
  return session
}

/** Gates of this session that are not met, from its configuration and its own. */
export async function judgeSessionGates(ctx: Context, input: JudgeGates): Promise<Finding[]> {
  const { sessionId, hook } = input
  const rules = await rulesOf(ctx, ctx.store.read, sessionId)
  if (!rules.some((rule) => rule.hook === hook)) return []
  const session = await ctx.store.read.sessions.get(sessionId)
  requireOwnSession(session, input.agent, ctx.caller)
  return judgeRules(ctx, input, rules, session)
}

/** In the session of another agent only the gates of the configuration count, and what that agent has done meets none. */
export async function judgeSessionGatesForHook(ctx: Context, input: JudgeGates): Promise<Finding[]> {
  const session = await ctx.store.read.sessions.get(input.sessionId)
  if (!session || session.agent === input.agent) return judgeSessionGates(ctx, input)
  return judgeRules(ctx, input, ctx.sessionGates, undefined)
}

async function judgeRules(
  ctx: Context,
  input: JudgeGates,
  rules: readonly (SessionGateRule | SessionGate)[],
  session: Session | undefined,
): Promise<Finding[]> {
  const { sessionId, hook } = input
  const wanted = rules.filter((rule) => rule.hook === hook)
  const marks = session ? await ctx.store.read.gates.marks({ sessionId }) : []
  const findings = await Promise.all(
    wanted.map(async (rule) => {
      const isMarked = marks.some(({ name, mark }) => name === rule.name && mark === 'done')
      return (await isMet(ctx, input, rule, { session, isMarked })) ? [] : [findingOf(rule)]
    }),
  )
  return findings.flat()
}

function findingOf(rule: SessionGateRule | SessionGate): Finding {
  const { name, mode, reason } = rule
  const onUnavailable = mode === 'strict' ? 'block' : 'allow'
  return { name, isDurable: false, mode, reason, onUnavailable, ...authorOfRule(rule) }
}

interface Known {
  readonly session: Session | undefined
  readonly isMarked: boolean
}

async function isMet(
  ctx: Context,
  { agent, timeoutMs }: JudgeGates,
  { name, check, ...rule }: SessionGateRule | SessionGate,
  { session, isMarked }: Known,
): Promise<boolean> {
  if (check !== null) {
    if ('machine' in rule && rule.machine !== ctx.machine.name) return false
    const { exitCode } = await ctx.runCommand(check, { folder: session?.project ?? null, timeoutMs })
    return exitCode === 0
  }
  if (name === ASKED) return isAskedThisTurn(ctx, agent, session)
  if (isMarked) return true
  if (name === HARVEST) return hasHarvested(ctx, { session, timeoutMs })
  return name === TASK_UPDATE && hasTaskUpdate(ctx, { agent, session, timeoutMs })
}
