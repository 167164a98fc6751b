import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Gate, SessionGate } from '../../model/gate.ts'
import type { StandingGate } from '../../model/gates.ts'
import type { Session } from '../../model/session.ts'
import type { Context } from '../context.ts'
import { livenessOf } from '../sessions/sessions.ts'
import { ofGate, ofRule } from './standing.ts'

/** A session that has been silent for longer is not worth a file that its next event writes anyway. */
const RECENT_MS = 24 * 60 * 60 * 1_000

/**
 * Lets the hooks of this machine know of a strict gate that was just made. They learn of gates with their next event; if
 * the store is lost before that, they would not hold. Called after the commit. A gate that cannot be written down beside
 * the store is in force all the same.
 */
export async function foreshadowGate(ctx: Context, gate: Gate): Promise<void> {
  const { agent, mode, state } = gate
  if (!ctx.foreshadow || mode !== 'strict' || state !== 'open') return
  await orNote(ctx, async () => {
    // A repeated request knows the gate as it was when it was made.
    const current = await ctx.store.read.gates.get(gate.id)
    if (current?.state !== 'open') return
    const since = ctx.store.now() - RECENT_MS
    const sessions = await ctx.store.read.sessions.open({ agent })
    await foreshadow(
      ctx,
      ofGate(current),
      sessions.filter(({ lastEventAt }) => lastEventAt > since),
    )
  })
}

/** The same for a gate of one session. */
export async function foreshadowSessionGate(ctx: Context, gate: SessionGate): Promise<void> {
  if (!ctx.foreshadow || gate.mode !== 'strict' || gate.markedAt !== null) return
  await orNote(ctx, async () => {
    const session = await ctx.store.read.sessions.get(gate.sessionId)
    if (session) await foreshadow(ctx, ofRule(gate), [session])
  })
}

async function foreshadow(ctx: Context, gate: StandingGate, sessions: readonly Session[]): Promise<void> {
  const here = sessions.filter(
    (each) => each.machine.split(' ')[0] === ctx.machine.host && livenessOf(ctx, each) !== 'gone',
  )
  if (here.length === 0) return
  const store = await ctx.store.read.upkeep.storeId()
  await ctx.foreshadow?.({ store, gate, owners: here.map(({ id: sessionId, agent }) => ({ agent, sessionId })) })
}

async function orNote(ctx: Context, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => ctx.note('gate.not-foreshadowed', { error: reasonOf(error) }))
}
