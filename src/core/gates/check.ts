import { SYSTEM_CALLER } from '../../model/caller.ts'
import type { Gate } from '../../model/gate.ts'
import type { GateRef } from '../../model/gates.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings.ts'
import { closeGate } from './close.ts'
import { tendDue } from './look.ts'
import { requireGate } from './resolve.ts'

const CHECK_MS = 60_000

/** Looks whether what a gate waits for has come. Most kinds are settled by what happens; a command has to be run. */
export async function checkGate(ctx: Context, { id }: GateRef): Promise<Gate> {
  await tendDue(ctx)
  const gate = await requireGate(ctx.store.read, id)
  if (gate.state !== 'open' || gate.kind !== 'command') return gate
  return (await runGateCommand(ctx, gate, CHECK_MS)) ?? gate
}

/** Runs a gate's command, and resolves the gate where that succeeds; undefined where it stays open. */
export async function runGateCommand(ctx: Context, gate: Gate, timeoutMs: number): Promise<Gate | undefined> {
  const { exitCode } = await ctx.runCommand(gate.awaits ?? 'false', { folder: gate.folder, timeoutMs })
  if (exitCode !== 0) return undefined
  const closed = await ctx.store.transact((tx) =>
    closeGate(ctx, tx, gate, { to: 'resolved', by: SYSTEM_CALLER, reason: 'its command succeeded' }),
  )
  ring(ctx, closed?.rings ?? [])
  return closed?.gate
}
