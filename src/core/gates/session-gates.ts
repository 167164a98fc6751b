import { PosternError } from '../../model/errors.ts'
import {
  parseGateHook,
  parseGateMode,
  parseGateName,
  type SessionGate,
  type SessionGateRule,
} from '../../model/gate.ts'
import type { Finding, JudgeGates, RegisterGate } from '../../model/gates.ts'
import { parseSessionId, type Session } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { parseReason } from './create.ts'

const CHECK_BYTES = 4_000

/** Adds a gate to one session, or changes it. */
export function registerGate(ctx: Context, input: RegisterGate): Promise<SessionGate> {
  const name = parseGateName(input.name)
  const gate: SessionGate = {
    sessionId: parseSessionId(input.sessionId),
    name,
    hook: parseGateHook(input.hook ?? 'stop'),
    mode: parseGateMode(input.mode ?? 'strict'),
    check: input.check === undefined ? null : parseText('check', input.check, CHECK_BYTES),
    reason: parseReason(input.reason ?? defaultReason(name, input.check)),
    registeredBy: ctx.caller.id,
    registeredAt: ctx.store.now(),
    markedAt: null,
    markedBy: null,
  }
  return ctx.store.transact(async (tx) => {
    await requireSession(tx, gate.sessionId)
    await tx.gates.register(gate)
    const known = await tx.gates.registered({ sessionId: gate.sessionId })
    return known.find((each) => each.name === name) ?? gate
  })
}

function defaultReason(name: string, check: string | undefined): string {
  return check === undefined
    ? `Do what "${name}" stands for, then say so: postern gate mark ${name} --session <session>`
    : `This must succeed first: ${check}`
}

/** A session says that it has done what one of its gates asks for. A gate with a command is judged by that alone. */
export function markGate(
  ctx: Context,
  input: { readonly sessionId: string; readonly name: string },
): Promise<SessionGate> {
  const sessionId = parseSessionId(input.sessionId)
  const name = parseGateName(input.name)
  const at = ctx.store.now()
  return ctx.store.transact(async (tx) => {
    await requireSession(tx, sessionId)
    const known = (await tx.gates.registered({ sessionId })).find((gate) => gate.name === name)
    const rule = known ?? ctx.sessionGates.find((gate) => gate.name === name)
    if (!rule) throw new PosternError('GATE_NOT_FOUND', { id: name })
    await tx.gates.mark({ sessionId, name, mark: 'done', at, by: ctx.caller.id })
    return { registeredBy: 'system', registeredAt: at, ...rule, sessionId, markedAt: at, markedBy: ctx.caller.id }
  })
}

async function requireSession(tx: Shelves, id: string): Promise<Session> {
  const session = await tx.sessions.get(id)
  if (!session) throw new PosternError('SESSION_NOT_FOUND', { id })
  return session
}

/** Gates of this session that are not met, from its configuration and its own. */
export async function judgeSessionGates(ctx: Context, input: JudgeGates): Promise<Finding[]> {
  const { gates, sessions } = ctx.store.read
  const { sessionId, hook } = input
  const registered = await gates.registered({ sessionId })
  const own = new Set(registered.map(({ name }) => name))
  const rules = [...registered, ...ctx.sessionGates.filter(({ name }) => !own.has(name))]
  const wanted = rules.filter((rule) => rule.hook === hook)
  if (wanted.length === 0) return []
  const session = await sessions.get(sessionId)
  const marks = await gates.marks({ sessionId })
  const findings = await Promise.all(
    wanted.map(async (rule) => {
      const isMarked = marks.some(({ name, mark }) => name === rule.name && mark === 'done')
      return (await isMet(ctx, input, rule, { session, isMarked })) ? [] : [findingOf(rule)]
    }),
  )
  return findings.flat()
}

function findingOf({ name, mode, reason }: SessionGateRule): Finding {
  return { name, isDurable: false, mode, reason, onUnavailable: mode === 'strict' ? 'block' : 'allow' }
}

interface Known {
  readonly session: Session | undefined
  readonly isMarked: boolean
}

async function isMet(
  ctx: Context,
  { agent, timeoutMs }: JudgeGates,
  { name, check }: SessionGateRule,
  { session, isMarked }: Known,
): Promise<boolean> {
  if (check !== null) {
    const { exitCode } = await ctx.runCommand(check, { folder: session?.project ?? null, timeoutMs })
    return exitCode === 0
  }
  if (isMarked) return true
  if (name !== 'decision') return false
  const since = Math.max(session?.startedAt ?? 0, session?.stoppedAt ?? 0)
  return ctx.store.read.decisions.hasAsked({ agent, since })
}
