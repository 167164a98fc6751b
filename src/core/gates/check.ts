import { SYSTEM_CALLER } from '../../model/caller.ts'
import type { Gate } from '../../model/gate.ts'
import type { GateRef } from '../../model/gates.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { requireGate } from '../visible.ts'
import { lookOnBus } from './bus.ts'
import { type ClosedGate, closeGate } from './close.ts'
import { tendDue } from './tend.ts'

const CHECK_MS = 60_000

/** Looks whether what a gate waits for has come. Most kinds are settled by what happens; commands and buses are not. */
export async function checkGate(ctx: Context, { id }: GateRef): Promise<Gate> {
  await tendDue(ctx)
  const gate = await requireGate(ctx, ctx.store.read, id)
  return gate.state === 'open' ? lookAtGate(ctx, gate, CHECK_MS) : gate
}

/** Looks for itself at an open gate, where nothing that happens here settles it. Returns it as it is afterwards. */
export async function lookAtGate(ctx: Context, gate: Gate, timeoutMs: number): Promise<Gate> {
  if (gate.kind === 'command') return runGateCommand(ctx, gate, timeoutMs)
  return gate.kind === 'bus' ? lookOnBus(ctx, gate, timeoutMs) : gate
}

/**
 * Runs an open gate's command, and resolves the gate where that succeeds. Returns it as it is afterwards. A store that
 * several machines share does not let one run programs on another: there the gate stays open.
 */
async function runGateCommand(ctx: Context, gate: Gate, timeoutMs: number): Promise<Gate> {
  if (gate.machine !== ctx.machine.name) return gate
  const { exitCode } = await ctx.runCommand(gate.awaits ?? 'false', { folder: gate.folder, timeoutMs })
  const closed = exitCode === 0 ? await ctx.store.transact((tx) => resolveMet(ctx, tx, gate)) : undefined
  ring(ctx, closed?.rings ?? [])
  // Meanwhile somebody else may have closed it.
  return closed?.gate ?? requireGate(ctx, ctx.store.read, gate.id)
}

function resolveMet(ctx: Context, tx: Shelves, gate: Gate): Promise<ClosedGate | undefined> {
  return closeGate(ctx, tx, gate, { to: 'resolved', by: SYSTEM_CALLER, reason: 'its command succeeded' })
}
