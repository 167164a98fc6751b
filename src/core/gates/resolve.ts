import { type Caller, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import type { GateRef } from '../../model/gates.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { requireGate } from '../visible.ts'
import { closeGate } from './close.ts'
import { parseReason } from './create.ts'
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
  const { gate, rings } = await auditRefusal(ctx, refused, () => ctx.store.transact(close))
  ring(ctx, rings)
  return gate
}

export function closedAlready({ id, state, closedBy, closedReason }: Gate): PosternError {
  return new PosternError('GATE_CLOSED', { id, state, by: closedBy, reason: closedReason })
}

/**
 * Only a person opens a gate that waits for a person. A strict gate is opened by a person, or by the named caller that
 * created it, unless that is the held agent: it could set itself a gate in place of another. An unnamed caller may be
 * anybody, the held agent too. A soft gate only warns, so its creator and unnamed callers may open it as well.
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
  if (gate.mode === 'strict' && caller.kind !== 'human') requireCreator(caller, gate)
  if (gate.createdBy !== caller.id && (isProgram(caller) || caller.id === gate.agent)) {
    throw new PosternError('NOT_ALLOWED', {
      message: `The gate ${gate.id} was set for ${gate.agent} by ${gate.createdBy}, so ${caller.id} cannot open it.`,
      next: `Do what it asks for: ${gate.reason}`,
    })
  }
}

const BY_PERSON = 'Let a person do it, from a terminal of their own, with "--as <person>".'

function requireCreator(caller: Caller, gate: Gate): void {
  if (caller.kind === 'local') {
    throw new PosternError('NOT_ALLOWED', {
      message: `${nameOf(caller)} cannot open the strict gate ${gate.id} of ${gate.agent}.`,
      next: 'Say who you are with "--as <person>".',
    })
  }
  if (caller.id === gate.agent && gate.createdBy === caller.id) {
    throw new PosternError('NOT_ALLOWED', {
      message: `The strict gate ${gate.id} holds ${caller.id}, so ${caller.id} cannot open it.`,
      next: `Meet its condition, or ask a person to waive it.`,
    })
  }
}

function nameOf({ id, kind }: Caller): string {
  return kind === 'local' ? 'Somebody who has not said who they are' : id
}
