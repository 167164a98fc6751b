import { type Caller, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import type { GateRef } from '../../model/gates.ts'
import { requireStorable } from '../../model/ids.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { closeGate } from './close.ts'
import { parseReason } from './create.ts'
import { cancelQuestion } from './question.ts'

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
  const { gate, rings } = await ctx.store.transact(async (tx) => {
    const gate = await requireGate(tx, id)
    requireLeave(ctx.caller, gate, to)
    const cancelled = gate.kind === 'decision' ? await cancelQuestion(ctx, tx, gate, reason) : undefined
    const closed = cancelled ?? (await closeGate(ctx, tx, gate, { to, by: ctx.caller, reason }))
    if (!closed) throw closedAlready(gate)
    return closed
  })
  ring(ctx, rings)
  return gate
}

export async function requireGate(shelves: Shelves, id: string): Promise<Gate> {
  requireStorable(id, 'GATE_NOT_FOUND')
  const gate = await shelves.gates.get(id)
  if (!gate) throw new PosternError('GATE_NOT_FOUND', { id })
  return gate
}

export function closedAlready({ id, state, closedBy, closedReason }: Gate): PosternError {
  return new PosternError('GATE_CLOSED', { id, state, by: closedBy, reason: closedReason })
}

/**
 * Where a person is meant, only a person counts. Nobody opens a gate that others have set before them, and no program one
 * that it has not set: an agent could register a second one to speak for it.
 */
export function requireLeave(caller: Caller, gate: Gate, to: 'resolved' | 'waived'): void {
  const isForPerson = gate.kind === 'human' || gate.kind === 'decision'
  if (isForPerson && caller.kind !== 'human') {
    const who = caller.kind === 'local' ? 'Somebody who has not said who they are' : caller.id
    throw new PosternError('NOT_ALLOWED', {
      message: `${who} cannot say it: the gate ${gate.id} waits for a person.`,
      next: 'Let a person do it, from a terminal of their own, with "--as <person>".',
    })
  }
  if (gate.kind === 'decision' && to === 'resolved') {
    throw new PosternError('NOT_ALLOWED', {
      message: `The gate ${gate.id} is resolved by an answer.`,
      next: `Answer with "postern decision respond ${gate.awaits} --select <option>", or waive the gate.`,
    })
  }
  if (gate.createdBy !== caller.id && (isProgram(caller) || caller.id === gate.agent)) {
    throw new PosternError('NOT_ALLOWED', {
      message: `The gate ${gate.id} was set for ${gate.agent} by ${gate.createdBy}, so ${caller.id} cannot open it.`,
      next: `Do what it asks for: ${gate.reason}`,
    })
  }
}
