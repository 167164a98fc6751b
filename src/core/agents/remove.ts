import type { Agent } from '../../model/agent.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { closeGate } from '../gates/close.ts'
import { cancelQuestion } from '../gates/question.ts'
import { requireLeave } from '../gates/resolve.ts'
import { mayMove } from '../inbox/state-moves.ts'
import { requireAgent } from '../registry/find.ts'
import { requirePerson } from '../registry/require-person.ts'
import { ring } from '../rings/ring.ts'
import { handOver } from './hand-over.ts'

const REASON = 'the agent was removed'
const MAX_QUESTIONS = 1_000

/**
 * Removes an agent. Its questions are cancelled and its gates waived, and those who wait for them are told. A
 * removed person's open questions and gates are handed over. Open messages end as cancelled, so that every message
 * still has a known end.
 */
export async function removeAgent(ctx: Context, { id }: { readonly id: string }): Promise<Agent> {
  const { removed, rings } = await ctx.store.transact(
    async (tx) => {
      const agent = await requireAgent(tx, id)
      requirePerson(ctx.caller, `remove ${id}`)
      if (ctx.caller.kind !== 'human') await requireUngated(ctx, tx, id)
      const removedAt = ctx.store.now()
      // First of all, because a post locks its space before gates, and gates before inboxes.
      await tx.spaces.leaveAll({ agent: agent.id })
      await tx.plans.deleteOf({ agent: agent.id })
      const rings = [...(await cancelQuestions(ctx, tx, agent.id)), ...(await waiveGates(ctx, tx, agent.id))]
      if (agent.kind === 'human') rings.push(...(await handOver(ctx, tx, agent.id)))
      await tx.deliveries.takeUpBroadcasts({ agent: agent.id, now: removedAt })
      await tx.deliveries.moveAll({
        agent: agent.id,
        from: mayMove(['pending', 'offered', 'held'], 'cancelled'),
        to: 'cancelled',
        at: removedAt,
        by: ctx.caller.id,
        reason: REASON,
      })
      await tx.agents.setRemoved({ id: agent.id, removedAt })
      return { removed: { ...agent, removedAt }, rings }
    },
    { answers: ['agents.remove'] },
  )
  ring(ctx, [...new Set(rings)])
  return removed
}

/** A caller that may not open a gate must not do so by removing its agent, which could come back. */
async function requireUngated(ctx: Context, tx: Shelves, agent: string): Promise<void> {
  for (const gate of await tx.gates.openOf({ agent })) requireLeave(ctx.caller, gate, 'waived')
}

async function cancelQuestions(ctx: Context, tx: Shelves, agent: string): Promise<readonly string[]> {
  const rings: string[] = []
  for (const { gateId } of await tx.decisions.list({ agent, states: ['open'], limit: MAX_QUESTIONS })) {
    const gate = await tx.gates.get(gateId)
    const cancelled = gate && (await cancelQuestion(ctx, tx, gate, REASON))
    rings.push(...(cancelled?.rings ?? []))
  }
  return rings
}

async function waiveGates(ctx: Context, tx: Shelves, agent: string): Promise<readonly string[]> {
  const rings: string[] = []
  for (const gate of await tx.gates.openOf({ agent })) {
    const waived = await closeGate(ctx, tx, gate, { to: 'waived', by: ctx.caller, reason: REASON })
    rings.push(...(waived?.rings ?? []))
  }
  return rings
}
