import { LOCAL_CALLER, SYSTEM_CALLER } from '../../model/caller.ts'
import type { Gate } from '../../model/gate.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { tellPeople } from '../notices/notice.ts'
import { closeGate, creatorOf, reasonQuote } from './close.ts'

/**
 * Expires gates that wait for a reply to a message that has expired, was cancelled, or was only for agents that are
 * removed: nobody can answer it. People are told. An agent is not let go if it took back the message itself, or
 * if a caller without a name did, on which somebody else's gate holds it: people are asked to look.
 */
export async function expireUnanswerable(ctx: Context, tx: Shelves, limit: number): Promise<readonly string[]> {
  const rings: string[] = []
  for (const gate of await tx.gates.unanswerable({ limit })) {
    const isOwnDoing = await tookBack(tx, gate)
    const reason = `nobody can answer ${gate.awaits} any more`
    const closed = isOwnDoing ? undefined : await closeGate(ctx, tx, gate, { to: 'expired', by: SYSTEM_CALLER, reason })
    rings.push(...(closed?.rings ?? []), ...(await tell(ctx, tx, gate, isOwnDoing)))
  }
  return rings
}

async function tookBack(tx: Shelves, { agent, awaits, createdBy }: Gate): Promise<boolean> {
  if (createdBy === agent || awaits === null) return false
  const steps = await tx.deliveries.steps(awaits)
  // An unnamed caller may be anybody, the held agent too.
  return steps.some(({ step, by }) => step === 'cancelled' && (by === agent || by === LOCAL_CALLER.id))
}

function tell(ctx: Context, tx: Shelves, gate: Gate, isOpen: boolean): Promise<readonly string[]> {
  const { id, agent, awaits } = gate
  const outcome = isOpen
    ? `That message was taken back by ${agent}, or by a caller without a name, so the gate stays. Let it go on with: postern gate waive ${id} --as <you> --reason "…"`
    : 'The gate expired.'
  return tellPeople(ctx, tx, {
    key: `gate-unanswerable:${id}`,
    subject: isOpen ? `${agent} waits for an answer that cannot come` : `${agent} goes on without an answer`,
    content: `The gate ${id} of ${agent} waited for a reply to ${awaits}, which nobody will be shown any more.\n${outcome}`,
    quotes: [reasonQuote(gate)],
    cause: creatorOf(gate),
  })
}
