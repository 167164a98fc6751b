import { type Caller, describeAuthor, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import type { GateRef } from '../../model/gates.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { requireGate } from '../visible.ts'
import { closeGate } from './close.ts'
import { parseReason } from './create.ts'
import { endIfLate } from './late.ts'
import { cancelQuestion } from './question.ts'
import { auditRefusal } from './refusals.ts'

type Verdict = GateRef & { readonly reason: string }

/** The condition is met: the gate opens, and its agent and those who wait are told. */
export function resolveGate(ctx: Context, input: Verdict): Promise<Gate> {
  return closeByHand(ctx, input, 'resolved')
}

/** The condition need not be met. */
export function waiveGate(ctx: Context, input: Verdict): Promise<Gate> {
  return closeByHand(ctx, input, 'waived')
}

async function closeByHand(ctx: Context, { id, ...input }: Verdict, to: 'resolved' | 'waived'): Promise<Gate> {
  const reason = parseReason(input.reason)
  const refused = { id, attempt: to === 'resolved' ? 'resolve' : 'waive' } as const
  const close = async (tx: Shelves) => {
    const gate = await requireGate(ctx, tx, id)
    requireLeave(ctx.caller, gate, to)
    const cancelled = gate.kind === 'decision' ? await cancelQuestion(ctx, tx, gate, reason) : undefined
    const closed = cancelled ?? (await closeGate(ctx, tx, gate, { to, by: ctx.caller, reason }))
    if (!closed) throw closedAlready(gate)
    return closed
  }
  const { gate, rings } = await auditRefusal(ctx, refused, async () => {
    await requireGate(ctx, ctx.store.read, id)
    await endIfLate(ctx, id)
    return ctx.store.transact(close, { answers: [to === 'resolved' ? 'gates.resolve' : 'gates.waive'] })
  })
  ring(ctx, rings)
  return gate
}

export function closedAlready({ id, state, closedBy }: Gate): PosternError {
  return new PosternError('GATE_CLOSED', { id, state, by: closedBy ?? 'Postern' })
}

/**
 * Only a person opens a gate that waits for a person. A strict gate is opened by a person, or by the named program that
 * created it, unless that is the held agent: it could set itself a gate in place of another. An unnamed caller may be
 * anybody, the held agent too. A soft gate only warns, so its creator and unnamed callers may open it as well. Other
 * callers are refused. So is a person who is held by a gate that another caller created.
 */
export function requireLeave(caller: Caller, gate: Gate, to: 'resolved' | 'waived'): void {
  const isForPerson = gate.kind === 'human' || gate.kind === 'decision'
  if (isForPerson && caller.kind !== 'human') {
    throw new PosternError('NOT_ALLOWED', {
      message: `${nameOf(caller)} cannot say it: the gate ${gate.id} waits for a person.`,
      next: BY_PERSON,
    })
  }
  if (gate.kind === 'decision' && to === 'resolved') {
    throw new PosternError('NOT_ALLOWED', {
      message: `The gate ${gate.id} is resolved by an answer.`,
      next: `Answer with "postern decision respond ${gate.awaits} --select <option>", or waive the gate.`,
    })
  }
  if (!mayOpen(caller, gate)) throw refusal(caller, gate)
}

/** Whether a caller is one of those that may open a gate. Every kind of caller that is not named here may not. */
function mayOpen(caller: Caller, { mode, agent, createdBy }: Gate): boolean {
  const isCreator = caller.id === createdBy
  if (caller.kind === 'human') return isCreator || caller.id !== agent
  if (isProgram(caller)) return isCreator && (mode === 'soft' || caller.id !== agent)
  return caller.kind === 'local' && mode === 'soft'
}

const BY_PERSON = 'Let a person do it, from a terminal of their own: on the command line with "--as <person>".'

function refusal(caller: Caller, { id, agent, mode, createdBy, createdTrust }: Gate): PosternError {
  if (caller.kind === 'local' || caller.kind === 'system') {
    return new PosternError('NOT_ALLOWED', {
      message: `${nameOf(caller)} cannot open the ${mode} gate ${id} of ${agent}.`,
      next: `Say who you are: "postern gate resolve ${id} --as <person>".`,
    })
  }
  if (caller.id === createdBy) {
    return new PosternError('NOT_ALLOWED', {
      message: `The strict gate ${id} holds ${caller.id}, so ${caller.id} cannot open it.`,
      next: `Meet its condition, or ask a person to waive it.`,
    })
  }
  return new PosternError('NOT_ALLOWED', {
    message: `The gate ${id} was set for ${agent} by ${describeAuthor(createdBy, createdTrust)}, so ${caller.id} cannot open it.`,
    next: `Meet its condition; read it with "postern gate show ${id}".`,
  })
}

function nameOf({ id, kind }: Caller): string {
  return kind === 'local' ? 'Somebody who has not said who they are' : id
}
