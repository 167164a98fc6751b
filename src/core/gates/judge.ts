import { parseAgentId } from '../../model/agent.ts'
import { SYSTEM_CALLER } from '../../model/caller.ts'
import { concernsTool, type Gate, parseGateHook } from '../../model/gate.ts'
import type { Finding, JudgeGates, Judgement, PassedGates } from '../../model/gates.ts'
import { parseSessionId } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import { type PeopleNotice, tellPeople } from '../agents/people.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings.ts'
import { runGateCommand } from './check.ts'
import { closeGate, shorten } from './close.ts'
import { tendDue } from './look.ts'
import { judgeSessionGates } from './session-gates.ts'

const EVIDENCE_BYTES = 1_000

/** Everything that holds a session, or has to be said to it once, at this moment. */
export async function judgeGates(ctx: Context, input: JudgeGates): Promise<Judgement> {
  const agent = parseAgentId(input.agent)
  const sessionId = parseSessionId(input.sessionId)
  parseGateHook(input.hook)
  await tendDue(ctx, agent)
  const durable = (await ctx.store.read.gates.openOf({ agent })).filter((gate) => concerns(gate, input))
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

function concerns(gate: Gate, { hook, tool = '' }: JudgeGates): boolean {
  return gate.hook === hook && (hook === 'stop' || concernsTool(gate, tool))
}

async function judgeGate(ctx: Context, gate: Gate, timeoutMs: number): Promise<Finding[]> {
  if (gate.kind === 'command' && (await runGateCommand(ctx, gate, timeoutMs))) return []
  const { id, mode, reason, onUnavailable } = gate
  return [{ name: id, isDurable: true, mode, reason, onUnavailable }]
}

/** Notes what became of gates that were not granted. People are told of every pass, and each gate remembers it. */
export async function notePassed(ctx: Context, input: PassedGates): Promise<void> {
  const agent = parseAgentId(input.agent)
  const sessionId = parseSessionId(input.sessionId)
  parseText('evidence', input.evidence, EVIDENCE_BYTES)
  const rings = await ctx.store.transact(async (tx) => {
    const told: string[] = []
    for (const name of input.names) told.push(...(await noteOne(ctx, tx, { ...input, agent, sessionId }, name)))
    return told
  })
  ring(ctx, rings)
}

async function noteOne(ctx: Context, tx: Shelves, input: PassedGates, name: string): Promise<readonly string[]> {
  const { sessionId, outcome, evidence } = input
  const at = ctx.store.now()
  const gate = name.startsWith('gate_') ? await tx.gates.get(name) : undefined
  const isPass = outcome === 'breached' || outcome === 'bypassed'
  if (outcome === 'warned') await tx.gates.mark({ sessionId, name, mark: 'warned', at, by: SYSTEM_CALLER.id })
  if (gate && outcome === 'breached') {
    const closed = await closeGate(ctx, tx, gate, { to: 'breached', by: SYSTEM_CALLER, reason: evidence })
    if (!closed) return []
  } else if (gate) {
    await tx.gates.record({ gateId: name, at, step: outcome, by: SYSTEM_CALLER.id, sessionId, evidence })
  }
  return isPass ? tellPeople(ctx, tx, passNotice(input, name, gate, at)) : []
}

function passNotice(
  { agent, sessionId, outcome, evidence }: PassedGates,
  name: string,
  gate: Gate | undefined,
  at: number,
): PeopleNotice {
  const reason = gate ? gate.reason : name
  return {
    key: `gate-${outcome}:${name}:${sessionId}:${at}`,
    subject: `${agent} went on without leave: ${shorten(reason)}`,
    content: `${gate ? `The gate ${name}` : `The session gate ${name}`} of ${agent} was not met, and was ${outcome} in session ${sessionId}: ${evidence}\nIt was there because: ${reason}`,
  }
}
