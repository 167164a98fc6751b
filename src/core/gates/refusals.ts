import { parseAgentId } from '../../model/agent.ts'
import { type Caller, isConfined, trustOf } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import type { NoteRefusal } from '../../model/gates.ts'
import { requireStorable } from '../../model/ids.ts'
import { parseSessionId } from '../../model/session.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

/** What a caller tried to do to a gate, or to the question behind it. */
export type Attempt = NoteRefusal['attempt']

export interface RefusedAttempt {
  /** The gate, or the decision whose gate it is. */
  readonly id: string
  readonly attempt: Attempt
  /** The person in whose name it was tried, if that was the reason for the refusal. */
  readonly as?: string
  readonly sessionId?: string
}

/** One caller's refusals at one gate that are recorded. Further ones would only fill the store. */
const MAX_PER_CALLER = 20

const WORDS: Readonly<Record<Attempt, string>> = {
  resolve: 'resolve the gate',
  waive: 'waive the gate',
  respond: 'answer the question',
  cancel: 'cancel the question',
}

/**
 * Runs an attempt to close a gate. If the caller may not, the gate's history says who tried what, and from where. A caller
 * that may not see the gate is answered as if there were none, and its attempt is recorded all the same.
 */
export async function auditRefusal<T>(ctx: Context, refused: RefusedAttempt, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (isRefusal(ctx, error)) await ctx.store.transact((tx) => recordRefusal(ctx, tx, refused))
    throw error
  }
}

function isRefusal({ caller }: Context, error: unknown): boolean {
  if (!(error instanceof PosternError)) return false
  const isUnseen = error.code === 'GATE_NOT_FOUND' || error.code === 'DECISION_NOT_FOUND'
  return error.code === 'NOT_ALLOWED' || (isUnseen && isConfined(caller))
}

/**
 * Records an attempt that was refused before it reached the core: a process of an AI's session named a person. The caller
 * is the agent of that session, or unnamed.
 */
export async function noteRefusal(ctx: Context, input: NoteRefusal): Promise<void> {
  const { id, attempt } = input
  const as = parseAgentId(input.as)
  requireStorable(id, 'GATE_NOT_FOUND')
  const sessionId = input.sessionId === undefined ? {} : { sessionId: parseSessionId(input.sessionId) }
  await ctx.store.transact(async (tx) => {
    if (!(await findGate(tx, id))) throw new PosternError('GATE_NOT_FOUND', { id })
    await recordRefusal(ctx, tx, { id, attempt, as, ...sessionId })
  })
}

const GATE_OR_DECISION = /^(?:gate|dec)_[0-9A-Z]{26}$/

async function findGate(tx: Shelves, id: string): Promise<Gate | undefined> {
  if (!GATE_OR_DECISION.test(id)) return undefined
  const gateId = id.startsWith('dec_') ? (await tx.decisions.get(id))?.gateId : id
  return gateId === undefined ? undefined : tx.gates.get(gateId)
}

/** A gate that does not exist has no history. */
async function recordRefusal(ctx: Context, tx: Shelves, refused: RefusedAttempt): Promise<void> {
  const { id, attempt, sessionId = null } = refused
  const { caller } = ctx
  const gate = await findGate(tx, id)
  if (!gate || (await hasEnough(tx, gate, caller))) return
  await tx.gates.record({
    gateId: gate.id,
    at: ctx.store.now(),
    step: attempt === 'respond' || attempt === 'cancel' ? 'answer-refused' : 'refused',
    by: caller.id,
    trust: trustOf(caller),
    sessionId,
    evidence: describe(caller, refused),
  })
}

async function hasEnough(tx: Shelves, { id }: Gate, caller: Caller): Promise<boolean> {
  const steps = await tx.gates.steps(id)
  return steps.filter(({ step, by }) => step.endsWith('refused') && by === caller.id).length >= MAX_PER_CALLER
}

function describe({ id, kind, verified, via }: Caller, { attempt, as, sessionId }: RefusedAttempt): string {
  const trust = verified ? 'verified' : 'unverified'
  const who = kind === 'local' ? `an unnamed caller (${trust}, via ${via})` : `${id} (${kind}, ${trust}, via ${via})`
  const name = as === undefined ? '' : ` as ${as}`
  const place = sessionId === undefined ? '' : `, from session ${sessionId}`
  return `${who} tried to ${WORDS[attempt]}${name}${place}`
}
