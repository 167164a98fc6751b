import { parseAgentId } from '../../model/agent.ts'
import { type Caller, isConfined, trustOf, trustWord } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import type { NoteRefusal } from '../../model/gates.ts'
import { requireStorable } from '../../model/ids.ts'
import { parseSessionId } from '../../model/session.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { recordRepeated } from './repeated-steps.ts'

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

/**
 * Refusals at one gate that are kept one by one, of a caller at one process or address, and of a caller at all of them.
 * Unnamed callers share an id, so one of them must not use up what is kept of the others.
 */
const MAX_PER_PEER = 20
const MAX_PER_CALLER = 200

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
  if (!gate) return
  const who = describeCaller(caller)
  const step = {
    gateId: gate.id,
    at: ctx.store.now(),
    step: attempt === 'respond' || attempt === 'cancel' ? 'answer-refused' : 'refused',
    by: caller.id,
    trust: trustOf(caller),
    sessionId,
    evidence: describe(who, refused),
  }
  await recordRepeated(tx, step, (kept) => {
    const ofPeer = kept.filter(({ evidence }) => evidence.startsWith(`${who} tried to `))
    return ofPeer.length < MAX_PER_PEER && kept.length < MAX_PER_CALLER
  })
}

/** A caller with its door and its process or address. */
function describeCaller(caller: Caller): string {
  const { id, kind, via, peer } = caller
  const trust = `${trustWord(trustOf(caller))}, via ${via}${peer === undefined ? '' : `, ${peer}`}`
  return kind === 'local' ? `an unnamed caller (${trust})` : `${id} (${kind}, ${trust})`
}

function describe(who: string, { attempt, as, sessionId }: RefusedAttempt): string {
  const name = as === undefined ? '' : ` as ${as}`
  const place = sessionId === undefined ? '' : `, from session ${sessionId}`
  return `${who} tried to ${WORDS[attempt]}${name}${place}`
}
