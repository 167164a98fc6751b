import type { Context } from '../context.ts'

/**
 * Ends a gate whose deadline is over, and its question, before somebody answers or opens it by hand: whoever comes too
 * late is refused, also where no upkeep has run since. A transaction of its own, because the refusal undoes the other.
 */
export async function endIfLate(ctx: Context, id: string): Promise<void> {
  const { dueAt, state } = (await ctx.store.read.gates.get(id)) ?? { dueAt: null }
  const mayEnd = state === 'open' || state === 'breached'
  // Loaded on use: few are late.
  if (mayEnd && dueAt !== null && dueAt <= ctx.store.now()) await (await import('./tend.ts')).tendOne(ctx, id)
}
