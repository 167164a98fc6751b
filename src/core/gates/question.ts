import { type Caller, describeAuthor, SYSTEM_CALLER } from '../../model/caller.ts'
import {
  type Decision,
  type DecisionAnswer,
  type DecisionState,
  describeAnswer,
  describeOption,
} from '../../model/decision.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate, GateState } from '../../model/gate.ts'
import { RING_DECISIONS } from '../../model/ring.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { pushNotice } from '../notices/notice.ts'
import { shorten } from '../notices/subject.ts'
import { type ClosedGate, closeGate, creatorOf } from './close.ts'
import { endQuestionOf } from './requests.ts'

export interface DecisionEnding {
  readonly state: Exclude<DecisionState, 'open'>
  readonly answer: DecisionAnswer | null
  readonly by: Caller
  readonly reason: string
}

const GATE_STATE: Readonly<Record<DecisionEnding['state'], Exclude<GateState, 'open'>>> = {
  answered: 'resolved',
  expired: 'expired',
  cancelled: 'waived',
}

export interface EndedDecision {
  readonly decision: Decision
  /** Its gate, as it is now. */
  readonly gate: Gate
  /** Whom to ring after the commit. */
  readonly rings: readonly string[]
}

/**
 * Ends a decision, closes its gate and the gates that wait for it, and tells the asker, all in the caller's transaction.
 * Undefined if it has ended already. The caller passes the decision's gate because it must have locked that gate before
 * the decision: with another order two callers could wait for each other.
 */
export async function endDecision(
  ctx: Context,
  tx: Shelves,
  { decision, gate }: Pick<EndedDecision, 'decision' | 'gate'>,
  { state, answer, by, reason }: DecisionEnding,
): Promise<EndedDecision | undefined> {
  if (!(await tx.decisions.close({ id: decision.id, state, answer }))) return undefined
  const ended: Decision = { ...decision, state, answer }
  const over = await endQuestionOf(ctx, tx, decision, { by, reason: `the question ${decision.id} is ${state}` })
  const closing = { to: GATE_STATE[state], by, reason: shorten(reason) }
  // The decision's own message says all there is to say to the asker; others who wait hear it by their gate.
  const own = await closeGate(ctx, tx, gate, { ...closing, tells: gate.waiters })
  const rings = [...over, ...(own?.rings ?? [])]
  for (const other of await tx.gates.awaiting({ awaits: decision.id })) {
    if (state === 'cancelled') requireNotHeld(by, other)
    const closed = await closeGate(ctx, tx, other, closing)
    rings.push(...(closed?.rings ?? []))
  }
  rings.push(...(await tellAsker(ctx, tx, ended, by, reason)), RING_DECISIONS)
  return { decision: ended, gate: own?.gate ?? gate, rings }
}

/** An agent that another gate holds until the answer cannot free itself by taking its question back. */
function requireNotHeld(by: Caller, gate: Gate): void {
  if (gate.agent !== by.id || gate.createdBy === by.id) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${by.id} cannot take the question back: the gate ${gate.id}, set by ${describeAuthor(gate.createdBy, gate.createdTrust)}, waits for its answer.`,
    next: `Wait for it with "postern decision await ${gate.awaits}".`,
  })
}

/** Ends a decision that nobody answers, with the default if it has one. Undefined if the gate has no open decision. */
export async function endUnanswered(
  ctx: Context,
  tx: Shelves,
  gate: Gate,
  why = 'nobody answered in time',
): Promise<EndedDecision | undefined> {
  const decision = await tx.decisions.ofGate(gate.id)
  if (decision?.state !== 'open') return undefined
  const { defaultOption: selected } = decision
  const at = ctx.store.now()
  const isExpired = selected === null
  return endDecision(
    ctx,
    tx,
    { decision, gate },
    {
      state: isExpired ? 'expired' : 'answered',
      answer: isExpired ? null : { by: SYSTEM_CALLER.id, verified: true, at, selected, text: null },
      by: SYSTEM_CALLER,
      reason: isExpired ? why : `${why}, so the default was taken`,
    },
  )
}

/** Cancels the question of a gate that is waived. Undefined if the gate has no open decision. */
export async function cancelQuestion(
  ctx: Context,
  tx: Shelves,
  gate: Gate,
  reason: string,
): Promise<ClosedGate | undefined> {
  const decision = await tx.decisions.ofGate(gate.id)
  if (decision?.state !== 'open') return undefined
  return endDecision(ctx, tx, { decision, gate }, { state: 'cancelled', answer: null, by: ctx.caller, reason })
}

/** The message is self-contained, for an agent that has restarted since it asked. */
function tellAsker(
  ctx: Context,
  tx: Shelves,
  decision: Decision,
  by: Caller,
  reason: string,
): Promise<readonly string[]> {
  const { id, agent, question, options, answer, gateId, state } = decision
  const asker = creatorOf(decision)
  return pushNotice(ctx, tx, {
    from: by,
    type: 'decision',
    to: [agent],
    dedupKey: `decision:${id}`,
    subject: `Decision ${state}: ${id}`,
    content: [
      `Decision ${id} ${state === 'answered' ? 'resolved' : state}: ${answer ? describeAnswer(answer) : reason}`,
      ...(answer?.text && answer.selected !== null ? [`Said with it: ${answer.text}`] : []),
      ...(answer && by.id === SYSTEM_CALLER.id ? [`Why: ${reason}`] : []),
    ].join('\n'),
    quotes: [
      { what: 'question', from: asker, text: question },
      ...(options.length > 0 ? [{ what: 'options', from: asker, text: options.map(describeOption).join('\n') }] : []),
    ],
    payload: {
      decisionId: id,
      gateId,
      state,
      selected: answer?.selected ?? null,
      text: answer?.text ?? null,
      by: answer?.by ?? by.id,
    },
    ref: `decision:${id}`,
    cause: by.kind === 'human' ? undefined : asker,
  })
}
