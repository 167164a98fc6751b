import { type Caller, SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import { GATE_MOVES, type Gate, type GateState } from '../../model/gate.ts'
import type { GateAuthor } from '../../model/gates.ts'
import type { Quote, Sender } from '../../model/message.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { pushNotice } from '../notices/notice.ts'
import { endRequestsOf } from './requests.ts'

export interface Closing {
  readonly to: Exclude<GateState, 'open'>
  readonly by: Caller
  /** Why, in the words of `by`. If `by` is the system, these are Postern's own words. */
  readonly reason: string
  /** Who is told by a notice of the gate's own; by default its agent and those who wait for it. */
  readonly tells?: readonly string[]
  /** The session in which it was passed. */
  readonly sessionId?: string
}

export interface ClosedGate {
  readonly gate: Gate
  /** Whom to ring after the commit. */
  readonly rings: readonly string[]
}

/**
 * Closes a gate, tells its agent and those who wait, and closes the gates that waited for it, all in one transaction:
 * nobody is told of what did not happen, or left untold of what did. Undefined where it is closed already. A breach
 * meets no condition, so neither are those told who wait for it; people are, by whoever notes the breach.
 */
export async function closeGate(
  ctx: Context,
  tx: Shelves,
  gate: Gate,
  closing: Closing,
): Promise<ClosedGate | undefined> {
  const { to, by, reason, sessionId = null } = closing
  const at = ctx.store.now()
  const move = { id: gate.id, from: statesBefore(to), to, at, by: by.id, reason }
  const closed = await tx.gates.close({ ...move, ...(to === 'breached' && deadlineOf(gate)) })
  if (!closed) return undefined
  await tx.gates.record({ gateId: gate.id, at, step: to, by: by.id, trust: trustOf(by), sessionId, evidence: reason })
  if (to === 'breached') return { gate: closed, rings: [] }

  // End requests before sending: a transaction that has locked deliveries may wait for an inbox.
  const rings = [...(await endRequestsOf(ctx, tx, closed, { by, reason: `the gate ${gate.id} is ${to}` }))]
  rings.push(...(await tellOfGate(ctx, tx, closed, closing)))
  for (const next of await tx.gates.awaiting({ awaits: gate.id })) {
    const after = await closeGate(ctx, tx, next, {
      to: 'resolved',
      by: SYSTEM_CALLER,
      reason: `the gate ${gate.id} was ${to}`,
    })
    rings.push(...(after?.rings ?? []))
  }
  return { gate: closed, rings }
}

/** The question behind a gate outlives its breach, and so does its deadline. */
function deadlineOf({ kind, dueAt }: Gate): { readonly nextAt?: number } {
  return kind === 'decision' && dueAt !== null ? { nextAt: dueAt } : {}
}

function statesBefore(to: GateState): GateState[] {
  return Object.entries(GATE_MOVES)
    .filter(([, next]) => (next as readonly GateState[]).includes(to))
    .map(([from]) => from as GateState)
}

function tellOfGate(ctx: Context, tx: Shelves, gate: Gate, closing: Closing): Promise<readonly string[]> {
  const { to, by, reason, tells = [gate.agent, ...gate.waiters] } = closing
  return pushNotice(ctx, tx, {
    from: by,
    type: 'gate',
    to: tells,
    dedupKey: `gate:${gate.id}`,
    subject: `Gate ${to}: ${gate.id}`,
    content: `Gate ${gate.id} ${to}: ${reason}\nIt held ${gate.agent}.`,
    quotes: [reasonQuote(gate)],
    payload: { gateId: gate.id, agent: gate.agent, kind: gate.kind, state: to, reason },
    ref: `gate:${gate.id}`,
    cause: by.kind === 'human' ? undefined : creatorOf(gate),
  })
}

/** The creator of a gate, whose words its reason is. */
export function creatorOf({ createdBy, createdTrust }: GateAuthor): Sender {
  return { id: createdBy, ...createdTrust }
}

export function reasonQuote(gate: GateAuthor & Pick<Gate, 'reason'>): Quote {
  return { what: 'reason of the gate', from: creatorOf(gate), text: gate.reason }
}
