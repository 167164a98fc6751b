import { agentOf, trustWord } from '../../model/caller.ts'
import { type Decision, type DecisionAnswer, describeAnswer } from '../../model/decision.ts'
import type { DecisionRef, RespondDecision } from '../../model/decisions.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { parseReason } from '../gates/create.ts'
import { endIfLate } from '../gates/late.ts'
import { type DecisionEnding, type EndedDecision, endDecision } from '../gates/question.ts'
import { auditRefusal } from '../gates/refusals.ts'
import { ring } from '../rings/ring.ts'
import { requireDecision } from '../visible.ts'
import { optionUnknown, requireOption } from './create.ts'

export const TEXT_BYTES = 16_000

/**
 * Answers a question: recorded, gate opened, asker told, all or nothing. The first answer wins. Afterwards the user's own
 * commands hear of it; whatever becomes of them, the answer stands.
 */
export async function respondDecision(ctx: Context, input: RespondDecision): Promise<Decision> {
  const decision = await endByHand(ctx, { ...input, attempt: 'respond' }, (decision) => {
    requireAsked(ctx, decision)
    const answer = parseAnswer(ctx, decision, input)
    return { state: 'answered', answer, by: ctx.caller, reason: describeAnswer(answer) }
  })
  await ctx.announce('decision.responded', { decision })
  return decision
}

/** Cancels a question. Its named asker may, and every person who was asked. */
export async function cancelDecision(
  ctx: Context,
  input: DecisionRef & { readonly reason?: string },
): Promise<Decision> {
  const reason = parseReason(input.reason ?? 'it need not be answered any more')
  return endByHand(ctx, { ...input, attempt: 'cancel' }, (decision, gate) => {
    const isAsker = agentOf(ctx.caller) === gate.createdBy
    if (!isAsker) requireAsked(ctx, decision)
    return { state: 'cancelled', answer: null, by: ctx.caller, reason }
  })
}

async function endByHand(
  ctx: Context,
  { id, attempt }: DecisionRef & { readonly attempt: 'respond' | 'cancel' },
  how: (decision: Decision, gate: Gate) => DecisionEnding,
): Promise<Decision> {
  const end = async (tx: Shelves, gateId: string): Promise<EndedDecision> => {
    const gate = await tx.gates.get(gateId)
    if (!gate) throw new PosternError('DECISION_NOT_FOUND', { id })
    const decision = await requireOpen(ctx, tx, id)
    const ended = await endDecision(ctx, tx, { decision, gate }, how(decision, gate))
    if (!ended) throw endedAlready(await requireDecision(ctx, tx, id))
    return ended
  }
  const { decision, rings } = await auditRefusal(ctx, { id, attempt }, async () => {
    const { gateId } = await requireDecision(ctx, ctx.store.read, id)
    await endIfLate(ctx, gateId)
    return ctx.store.transact((tx) => end(tx, gateId), { answers: [`decisions.${attempt}`] })
  })
  ring(ctx, rings)
  return decision
}

async function requireOpen(ctx: Context, tx: Shelves, id: string): Promise<Decision> {
  const decision = await requireDecision(ctx, tx, id)
  if (decision.state !== 'open') throw endedAlready(decision)
  return decision
}

function endedAlready(decision: Decision): PosternError {
  const { id, state, answer } = decision
  const said = answer ? `, by ${answer.by} (${trustWord(answer)}): ${answer.selected ?? 'in words'}` : ''
  return new PosternError('DECISION_CLOSED', { id, state, answer: said })
}

function requireAsked({ caller }: Context, { id, asked }: Decision): void {
  if (caller.kind === 'human' && asked.includes(caller.id)) return
  const who = caller.kind === 'local' ? 'Somebody who has not said who they are' : caller.id
  throw new PosternError('NOT_ALLOWED', {
    message: `${who} was not asked by the decision ${id}.`,
    next: `It is for ${asked.join(', ')} to answer, from a terminal of their own: on the command line with "--as <person>".`,
  })
}

function parseAnswer(ctx: Context, decision: Decision, { select, text }: RespondDecision): DecisionAnswer {
  const { id, options, allowsText } = decision
  if (select === undefined && (text === undefined || text.trim() === '')) {
    throw new PosternError('USAGE', {
      message: 'The answer is missing.',
      next: options.length > 0 ? 'Select one of its options.' : 'Answer it with a text.',
    })
  }
  if (select === undefined && !allowsText) {
    throw optionUnknown(id, options, 'that is only text')
  }
  return {
    by: ctx.caller.id,
    verified: ctx.caller.verified,
    at: ctx.store.now(),
    selected: select === undefined ? null : requireOption(id, options, select),
    text: text === undefined ? null : parseText('text', text, TEXT_BYTES),
  }
}
